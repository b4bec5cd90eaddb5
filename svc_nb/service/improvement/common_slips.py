"""Slips that many people make and that no rule sees: each is no word of its language in any text."""

from __future__ import annotations

_SLIPS = {
    "de": "standart:standard rythmus:rhythmus reperatur:reparatur wiederspiegelt:widerspiegelt "
    "wiederspiegeln:widerspiegeln wiederspruch:widerspruch vorraussetzung:voraussetzung vorraus:voraus "
    "aufgrunt:aufgrund bequehm:bequem endgültich:endgültig ersteinmal:erst_einmal garnicht:gar_nicht "
    "vorallem:vor_allem zumindestens:zumindest",
    "en": "alot:a_lot untill:until seperately:separately realy:really finaly:finally usualy:usually "
    "wich:which happend:happened noticable:noticeable publically:publicly wierd:weird "
    "shoud:should coud:could woud:would maintainance:maintenance arguement:argument basicly:basically "
    "enviorment:environment grammer:grammar neice:niece peice:piece "
    "dont:don't doesnt:doesn't didnt:didn't isnt:isn't couldnt:couldn't wouldnt:wouldn't havent:haven't",
    "es": "atravez:a_través enserio:en_serio envio:envío envios:envíos imajen:imagen jente:gente numero:número "
    "porfavor:por_favor talves:tal_vez telefono:teléfono ultimo:último ultima:última viage:viaje "
    "vastante:bastante desepcionado:decepcionado",
    "fr": "aujourdhui:aujourd'hui beaucoups:beaucoup biensur:bien_sûr malgrès:malgré meme:même "
    "interressant:intéressant interesant:intéressant parmis:parmi qualitée:qualité toujour:toujours "
    "enviroment:environnement voila:voilà",
    "it": "avvolte:a_volte cosi:così daccordo:d'accordo propio:proprio pultroppo:purtroppo soddisfato:soddisfatto "
    "perchè:perché poichè:poiché benchè:benché finchè:finché",
    "pt": "concerteza:com_certeza derrepente:de_repente excessão:exceção ja:já numero:número preco:preço "
    "porisso:por_isso imagen:imagem voçe:você voçê:você beneficiente:beneficente asterístico:asterisco",
}
COMMON_SLIPS = {
    language: {
        slip: right.replace("_", " ") for slip, _, right in (each.partition(":") for each in slips.split())
    }
    for language, slips in _SLIPS.items()
}
"""By language: what is typed, and what is meant; both in lower case."""
