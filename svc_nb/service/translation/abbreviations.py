"""Words that end in a full stop without ending a sentence though a capital follows: data only.

Whatever a lower-case letter follows never ends a sentence, so only titles, names of streets and the like stand here.
"""

ABBREVIATIONS: dict[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "bg": "бул вж г гр д-р доц им инж проф с св стр ул",
        "cs": "bc doc dr ing jr judr kpt mgr mudr např nám p paní phdr plk prof pí r rndr sl str sv tj "
        "tzv tř ul č čp",
        "da": "adr bl cand dr f.eks fr frk hr ing jf kgl kl mag mr mrs nr pkt prof sct skt st stud tlf",
        "de": "abb abs art aufl bd bzw ca co dipl dipl-ing dr evtl fa fam fr frl geb gebr gegr gem ggf "
        "hl hr hrn hrsg ing inkl jr kap lt mag max min mio mr mrd mrs nr pfr prof rd s sen sog st "
        "str tab tel univ verf vgl vs zzgl",
        "el": "αγ αρ βλ γιατρός δηλ δρ κ κα καθ κος λεωφ οδ π.χ πλ πρβλ σελ σημ τηλ",
        "en": "adm apr art aug ave bldg blvd brig capt cmdr col corp dec dept dr ed eds eq feb fig figs gen "
        "gov hon jan jul jun mar nov oct sep sept "
        "insp jr lt ltd maj messrs mlle mme mr mrs ms mt mx nos op pres prof rep reps rev sec "
        "secs sen sens sgt sr st ste supt univ viz vol vols vs",
        "es": "admón av avda cap cía d dir dn dna doc dpto dr dra dras dres dña edif ee exc excmo fig "
        "fr gral hno hnos ing lda ldo lic mons núm p pdte prof profa pág págs sr sra sras sres "
        "srta srtas sta sto tel tte ud uds vd vds vol",
        "et": "hr jms jr lk nn nr pr prof st sün tel tn",
        "fi": "esim evp ins joht kapt kenr ks maist nk nro os prof puh rva s tri ts vrt yht",
        "fr": "adj art av bd bibl boul cf ch chap cie col comm dir dr dre env fig gén hab ing lt m me "
        "mgr mlle mlles mm mme mmes p.ex pp prof réf st ste sts tél vol éd",
        "hu": "dr id ifj ill kb lásd mgr ner pl prof st szt tel vö özv ún",
        "id": "bpk dr drs gg hj ir jend jl kab kapt kec kel kol no ny prof rp sdr sdri tel tn yth",
        "it": "arch art avv cap cav cfr col comm dir dott dott.ssa dr ecc fig gen geom ing int lic mons "
        "on pag pagg prof prof.ssa rag rev s sen sig sig.na sig.ra sigg spett ss tel v vol",
        "lt": "akad apyg b dab doc dr gen gyd inž k kun mjr mons pan pl plk pr prof pvz r t.y tel vad "
        "vyr vysk šv",
        "lv": "b doc dr gen inž kap kt lpp māc piem plkv prof pulkv sal sk sv tr tālr ģen",
        "nb": "adr bl cand dr f.eks fr frk hr ing jf kap kgl kl mag mr mrs nr pkt prof st stud tlf",
        "nl": "afb bijv blz bv dhr dr drs fam fig gebr hr ing ir jhr jl jr kol ma mej mevr mgr mr mw nl "
        "nr prof resp sen st str tel vgl vnl vs zgn",
        "pl": "al bp bł dr dyr gen godz hab inż jw kard ks lek lic mec mgr mjr np nr o os pl por prof "
        "płk red rtm sz tel tj tzn tzw ul ur ww zob św",
        "pt": "art av cap cel cia d dir doc dr dra dras drs ed eng enga exa exma exmo fig gal gen ilma "
        "ilmo lda ldo mons núm p pe prof profa pág págs r sr sra sras sres srs srta sta sto tel v "
        "vol",
        "ro": "art bd bl cap conf d d-l d-na d-ra d-rul dl dna dr etj fam fig gen ing jr lect lt nr p "
        "pag pr prof sf str tel vol şos șos",
        "ru": "акад бул в вв г гг гл гр д доц им инж кв корп мкр млн млрд н наб напр о обл оз п пер пл "
        "пос пр просп проф р рис с св см ст стр т тел тыс ул унив ф ч чел",
        "sk": "bc doc dr ing judr kpt mgr mudr napr nám p pani phdr plk prof r rndr sl str sv tj tr tzv "
        "ul č čl",
        "sl": "asist d.o.o doc dr g ga gdč gl gos inž itn mag npr oz prof roj sl st str sv tel ul univ št",
        "sv": "adr bl.a civ dir dr ev f fr frk hr ing jfr kap kl mag nr osv prof resp s:t st tel tr",
        "tr": "alb apt arş av bkz blv bul bşk cad doç dr ecz gen gn hz kd mah md müh no org prof psk sk "
        "sn sok st tel uz vb yrd ör örn şti",
        "uk": "акад бул в вул г гл гр д див доц кв м млн млрд напр о обл п пл пр просп проф р рис с св "
        "см ст стор т тел тис ф ч чол ім інж",
        "vi": "gs ks pgs q st th.s ths tp ts tt tx",
    }.items()
}

# Here a number with a full stop is an ordinal ("3. Auflage"), not the end of a sentence.
ORDINALS = frozenset({"cs", "da", "de", "et", "fi", "hu", "lv", "nb", "sk", "sl", "tr", "pl"})
