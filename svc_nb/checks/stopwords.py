"""Words that no term begins or ends with in the main languages, and marks of grammar where there are no spaces."""

from __future__ import annotations

STOPWORDS: dict[str, frozenset[str]] = {
    code: frozenset(words.split())
    for code, words in {
        "cs": """
            a i o u v z k s se si na do od po pro při za ze je jsou byl byla bylo být má ale nebo že který která
            které jak tak to ten ta tento tato toto není už jen než také může vám vás jsme jste""",
        "da": """
            og i at det er en et den til på de med for af der som ikke har var jeg vi du kan vil om fra men så
            eller også din dit dine være blev bliver skal nu når hvis""",
        "de": """
            der die das und ist in zu den dem des ein eine einer einem einen eines mit von auf für im am an als
            auch es sich nicht war wird werden wurde sind hat haben ich sie er wir ihr ihre ihren ihrem ihrer
            sein seine bei aus nach über unter um wie oder aber dass wenn noch nur so sehr kann können bitte
            diese dieser dieses mein meine mir mich uns kam zum zur vom beim bis durch vor was alle mehr schon
            hier dann doch immer ganz ab""",
        "en": """
            the a an and or of to in on at for with by from is are was were be been being it its this that these
            those as not no but if then than so do does did have has had i you he she we they my your his her
            our their me him us them can could will would should may might must about into over under after
            before when where which who what how all any some more most very just also there here up out please
            only other each both own same too again""",
        "es": """
            el la los las un una unos unas y o de del a al en con por para es son fue era ser está están se su
            sus lo le les que como más pero no si ya muy mi tu este esta estos estas ese esa hay ha han he me te
            nos también sin sobre entre cuando todo todos""",
        "fi": """
            ja on ei se että oli ole olen hän minä me te he joka mutta tai kun jos niin kuin myös vain tämä
            tässä siitä sen ovat voi nyt hyvin""",
        "fr": """
            le la les un une des du de d et ou à au aux en dans sur pour par avec sans est sont était être il
            elle ils elles nous vous je tu on se sa son ses leur leurs ce cet cette ces que qui quoi dont ne pas
            plus mais si comme très mon ma mes votre vos notre nos y a ont avez l n s c j m t qu fait tout tous
            aussi bien été""",
        "hu": """
            a az és vagy egy is nem hogy van volt ez azt ezt meg de ha mint már csak még ki be el fel le nagyon
            itt ott""",
        "id": """
            yang dan di ke dari untuk dengan ini itu pada adalah tidak akan saya anda kami kita ada atau juga
            sudah bisa dapat dalam oleh sebagai""",
        "it": """
            il lo la i gli le un uno una e o di a da in con su per tra fra del dello della dei degli delle al
            allo alla ai agli alle dal dalla nel nella nei sul sulla è sono era essere ha hanno ho si non che
            come più ma se anche mi ti ci vi suo sua questo questa molto""",
        "nb": """
            og i å det er en et den til på de med for av der som ikke har var jeg vi du kan vil om fra men så
            eller også din ditt være ble blir skal nå når hvis""",
        "nl": """
            de het een en of van in op te aan met voor door bij uit is zijn was waren wordt worden werd dat die
            dit deze niet maar als ook er naar om ik je u uw hij zij we wij ze mijn zo dan nog wel kan kunnen
            heeft heb hebben heel zeer alle meer""",
        "pl": """
            i w we z ze na do od po za o u dla przez przy jest są był była było być się nie to ten ta te tego
            tej ale lub oraz jak że który która które czy już tylko bardzo może jego jej ich mi mnie my""",
        "pt": """
            o a os as um uma uns umas e ou de do da dos das em no na nos nas ao à aos por pelo pela para com sem
            é são foi era ser está que se como mais mas não já muito meu minha seu sua seus suas este esta esse
            essa isto há tem também quando""",
        "ro": """
            și si sau de la în in pe cu pentru din un o unei unui este sunt a al ai ale nu ce care mai dar că se
            să foarte acest această""",
        "ru": """
            и в во не на с со по к ко из у за о об от до для при без через это этот эта эти тот как что чтобы но
            а или же ли бы я мы вы он она они его её их мой ваш наш был была было были быть есть очень уже еще
            ещё так только также если когда все всё можно""",
        "sv": """
            och i att det är en ett den till på de med för av som inte har var jag vi du kan vill om från men så
            eller också din ditt vara blev blir ska nu när""",
        "tr": """
            ve bir bu da de için ile ne o çok daha ama gibi kadar en ya veya olan olarak var yok mi mı ben sen
            biz siz her""",
        "uk": """
            і й та в у не на з із зі по до від за для при без через це цей ця ці той як що щоб але або ж чи би я
            ми ви він вона вони його її їх був була було були бути є дуже вже ще так тільки також якщо коли""",
        "vi": "và của là có được cho các những một với trong này đó không để khi từ đã sẽ cũng như ở về tôi bạn rất",
    }.items()
}  # fmt: skip

# Chinese and Japanese characters that stand between words, and ones that only seldom begin or end a word.
BREAKS = "的了吗呢吧是我你您他她它们这那和与及或也都就很请将被把啊嘛哦着过"
EDGES = "不在有个从到为对以等再又才还没能会可要让给向于由每各已正所其该此当并且但而则因若如下上来去做用后前时"
# What Korean puts at the end of words; the longer first.
PARTICLES = (
    "에서", "으로", "에게", "까지", "부터", "처럼", "보다", "합니다", "했습니다", "하는", "은", "는", "이",
    "가", "을", "를", "의", "에", "로", "와", "과", "도", "만",
)  # fmt: skip
# How Korean ends its sentences.
VERB_ENDS = ("니다", "세요", "어요", "아요", "해요", "지만")
# Words of Chinese and Japanese that say too little alone.
WHOLE = frozenset([
    "可以", "如果", "需要", "因为", "所以", "但是", "没有", "已经", "我们", "他们", "自己", "什么", "怎么",
    "这个", "那个", "还是", "其他", "非常", "进行", "通过", "使用", "同时", "时候", "现在", "一个", "不能",
    "必须", "以后", "以前", "可能", "这样", "情况", "方面", "場合", "可能", "必要", "以上", "以下", "今回",
    "当社", "弊社", "本当", "非常", "大変", "一番", "方法", "確認", "使用", "利用", "自分", "今日", "最近",
    "とても", "問題",
])  # fmt: skip
