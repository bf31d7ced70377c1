"""The words of the two translations as tables, with a line for each entry and a column for each language.

An underscore is a space within an entry, a dash a form that no sentence has.
"""

NOUNS = {
    "person": """
        man men | en man mannen män männen | m homme hommes
        woman women | en kvinna kvinnan kvinnor kvinnorna | f femme femmes
        king kings | en kung kungen kungar kungarna | m roi rois
        queen queens | en drottning drottningen drottningar drottningarna | f reine reines
        teacher teachers | en lärare läraren lärare lärarna | m professeur professeurs
        doctor doctors | en läkare läkaren läkare läkarna | m médecin médecins""",
    "child": """
        boy boys | en pojke pojken pojkar pojkarna | m garçon garçons
        girl girls | en flicka flickan flickor flickorna | f fille filles""",
    "relative": """
        sister sisters | en syster - systrar - | f sœur sœurs
        brother brothers | en bror - bröder - | m frère frères
        friend friends | en vän - vänner - | m ami amis
        neighbour neighbours | en granne - grannar - | m voisin voisins""",
    "dish": """
        fish | en fisk fisken | m poisson
        rice | ett ris riset | m riz
        soup | en soppa soppan | f soupe
        meat | ett kött köttet | f viande""",
    "food": """
        ice_cream | en glass glassen | f glace
        bread | ett bröd brödet | m pain
        cheese | en ost osten | m fromage""",
    "fruit": """
        apple apples | ett äpple äpplet äpplen äpplena | f pomme pommes
        banana bananas | en banan bananen bananer bananerna | f banane bananes
        cake cakes | en tårta tårtan tårtor tårtorna | m gâteau gâteaux
        egg eggs | ett ägg ägget ägg äggen | m œuf œufs""",
    "drink": """
        coffee | ett kaffe kaffet | m café
        tea | ett te teet | m thé
        milk | en mjölk mjölken | m lait
        water | ett vatten vattnet | f eau
        wine | ett vin vinet | m vin""",
    "text": """
        book books | en bok boken böcker böckerna | m livre livres
        letter letters | ett brev brevet brev breven | f lettre lettres
        poem poems | en dikt dikten dikter dikterna | m poème poèmes
        story stories | en berättelse berättelsen berättelser berättelserna | f histoire histoires""",
    "paper": """
        newspaper newspapers | en tidning tidningen tidningar tidningarna | m journal journaux""",
    "vehicle": """
        car cars | en bil bilen bilar bilarna | f voiture voitures
        bicycle bicycles | en cykel cykeln cyklar cyklarna | m vélo vélos
        boat boats | en båt båten båtar båtarna | m bateau bateaux""",
    "clothing": """
        hat hats | en hatt hatten hattar hattarna | m chapeau chapeaux
        shirt shirts | en skjorta skjortan skjortor skjortorna | f chemise chemises
        dress dresses | en klänning klänningen klänningar klänningarna | f robe robes
        jacket jackets | en jacka jackan jackor jackorna | f veste vestes""",
    "thing": """
        table tables | ett bord bordet bord borden | f table tables
        chair chairs | en stol stolen stolar stolarna | f chaise chaises
        lamp lamps | en lampa lampan lampor lamporna | f lampe lampes""",
    "opening": """
        door doors | en dörr dörren dörrar dörrarna | f porte portes
        window windows | ett fönster fönstret fönster fönstren | f fenêtre fenêtres""",
    "house": """
        house houses | ett hus huset hus husen | f maison maisons""",
    "animal": """
        dog dogs | en hund hunden hundar hundarna | m chien chiens
        cat cats | en katt katten katter katterna | m chat chats
        horse horses | en häst hästen hästar hästarna | m cheval chevaux
        bird birds | en fågel fågeln fåglar fåglarna | m oiseau oiseaux
        cow cows | en ko kon kor korna | f vache vaches""",
    "place": """
        city cities | en stad staden städer städerna | f ville villes
        school schools | en skola skolan skolor skolorna | f école écoles
        church churches | en kyrka kyrkan kyrkor kyrkorna | f église églises
        castle castles | ett slott slottet slott slotten | m château châteaux
        garden gardens | en trädgård trädgården trädgårdar trädgårdarna | m jardin jardins
        park parks | en park parken parker parkerna | m parc parcs
        forest forests | en skog skogen skogar skogarna | f forêt forêts""",
    "sight": """
        museum museums | ett museum museet museer museerna | m musée musées
        island islands | en ö ön öar öarna | f île îles""",
    "country": """
        Africa | ett Afrika | f Afrique
        Sweden | ett Sverige | f Suède
        France | ett Frankrike | f France
        Italy | ett Italien | f Italie
        Japan | ett Japan | m Japon""",
    "town": """
        Paris | ett Paris | m Paris
        Stockholm | ett Stockholm | m Stockholm
        London | ett London | m Londres
        Rome | ett Rom | f Rome""",
    "name": """
        Dan | en Dan | m Dan
        Jane | en Jane | f Jane
        Anna | en Anna | f Anna
        Erik | en Erik | m Erik
        Marie | en Marie | f Marie
        Paul | en Paul | m Paul
        Sara | en Sara | f Sara
        Lucas | en Lucas | m Lucas""",
}

PRONOUNS = """
    0 I | en jag | m je j'
    1 he | en han | m il
    1 she | en hon | f elle
    2 we | en vi | m nous
    3 they | en de | m ils
    3 they | en de | f elles"""

# The pronouns for a thing: its gender decides in Swedish and in French.
THINGS = """
    1 it | en den | m il
    1 it | en den | f elle
    1 it | ett det | m il
    1 it | ett det | f elle"""

BEFORE = """
    small | liten litet lilla små | petit petite petits petites
    big | stor stort stora stora | grand grande grands grandes
    old | gammal gammalt gamla gamla | vieux vieille vieux vieilles vieil
    new | ny nytt nya nya | nouveau nouvelle nouveaux nouvelles
    beautiful | vacker vackert vackra vackra | beau belle beaux belles bel
    good | god gott goda goda | bon bonne bons bonnes
    long | lång långt långa långa | long longue longs longues
    young | ung - unga unga | jeune jeune jeunes jeunes"""
AFTER = """
    red | röd rött röda röda | rouge rouge rouges rouges
    green | grön grönt gröna gröna | vert verte verts vertes
    blue | blå blått blå blå | bleu bleue bleus bleues
    white | vit vitt vita vita | blanc blanche blancs blanches
    black | svart svart svarta svarta | noir noire noirs noires
    cold | kall kallt kalla - | froid froide - -
    hot | varm varmt varma - | chaud chaude - -
    expensive | dyr dyrt dyra dyra | cher chère chers chères
    interesting | intressant intressant intressanta intressanta | intéressant intéressante intéressants intéressantes
    famous | berömd berömt berömda berömda | célèbre célèbre célèbres célèbres
    rich | rik - rika rika | riche riche riches riches
    tired | trött - - trötta | fatigué fatiguée fatigués fatiguées
    happy | glad - - glada | content contente contents contentes
    sick | sjuk - - sjuka | malade malade malades malades
    sad | ledsen - - ledsna | triste triste tristes tristes"""

FITTING = {
    "person": "old young rich famous",
    "child": "small rich famous",
    "relative": "young rich famous",
    "dish": "good cold hot",
    "food": "good expensive",
    "fruit": "small big good expensive",
    "drink": "good cold hot expensive",
    "text": "old new long beautiful interesting famous",
    "paper": "old new interesting expensive",
    "vehicle": "small big old new beautiful red green blue white black expensive",
    "clothing": "old new beautiful long red green blue white black expensive",
    "thing": "small big old new beautiful red green blue white black expensive",
    "opening": "small big old new beautiful red green blue white black",
    "house": "small big old new beautiful red white expensive",
    "animal": "small big old young beautiful white black",
    "place": "small big old beautiful famous",
    "sight": "small big old beautiful famous",
    "country": "big beautiful famous",
}
# What is said of a person only, so that "he" and "it" cannot be taken for each other where French has "il" for both.
FEELINGS = "tired happy sick sad"
# Adjectives of people as well as of things.
OF_PEOPLE = "small big old young new beautiful famous interesting white black"
# Adjectives that exclude each other.
CONTRARY = ("small big", "old new young", "cold hot", "red green blue white black")

_GOODS = "dish food fruit drink text paper vehicle clothing thing animal house"
VERBS = f"""
    love loves - | - älskar - | aime aime aimons aiment - - |
        dish food fruit drink text animal place sight country town
    hate hates - | - hatar - | déteste déteste détestons détestent - - |
        dish food fruit drink text animal place sight town
    eat eats ate | äta äter åt | mange mange mangeons mangent mangé manger | dish food fruit
    drink drinks drank | dricka dricker drack | bois boit buvons boivent bu boir | drink
    buy buys bought | köpa köper köpte | achète achète achetons achètent acheté achèter | {_GOODS}
    sell sells sold | sälja säljer sålde | vends vend vendons vendent vendu vendr | {_GOODS}
    read reads read | läsa läser läste | lis lit lisons lisent lu lir | text paper
    write writes wrote | skriva skriver skrev | écris écrit écrivons écrivent écrit écrir | text
    visit visits visited | besöka besöker besökte | visite visite visitons visitent visité visiter |
        place sight country town
    see sees saw | se ser såg | vois voit voyons voient vu verr |
        person child relative name animal vehicle place sight house
    wash washes washed | tvätta tvättar tvättade | lave lave lavons lavent lavé laver | vehicle clothing
    paint paints painted | måla målar målade | peins peint peignons peignent peint peindr |
        vehicle thing opening house animal
    find finds found | hitta hittar hittade | trouve trouve trouvons trouvent trouvé trouver |
        text paper vehicle clothing thing animal
    look_for looks_for looked_for | leta_efter letar_efter letade_efter |
        cherche cherche cherchons cherchent cherché chercher |
        child relative name text paper vehicle clothing animal
    wear wears wore | bära bär bar | porte porte portons portent porté porter | clothing
    meet meets met | träffa träffar träffade | rencontre rencontre rencontrons rencontrent rencontré rencontrer |
        person child relative name
    help helps helped | hjälpa hjälper hjälpte | aide aide aidons aident aidé aider | person child relative name
    prepare prepares prepared | laga lagar lagade | prépare prépare préparons préparent préparé préparer | dish
    repair repairs repaired | reparera reparerar reparerade | répare répare réparons réparent réparé réparer |
        vehicle thing opening
    open opens opened | öppna öppnar öppnade | ouvre ouvre ouvrons ouvrent ouvert ouvrir | opening
    close closes closed | stänga stänger stängde | ferme ferme fermons ferment fermé fermer | opening
    sleep sleeps slept | sova sover sov | dors dort dormons dorment dormi dormir |
    work works worked | arbeta arbetar arbetade | travaille travaille travaillons travaillent travaillé travailler |
    sing sings sang | sjunga sjunger sjöng | chante chante chantons chantent chanté chanter |
    dance dances danced | dansa dansar dansade | danse danse dansons dansent dansé danser |
    run runs ran | springa springer sprang | cours court courons courent couru courr |
    wait waits waited | vänta väntar väntade | attends attend attendons attendent attendu attendr |"""

# A number after a word is the part it belongs to; without one it is the position of the word.
TIMES = {
    "present": """
        in January | i januari | en janvier
        in July | i juli | en juillet
        in September | i september | en septembre
        in December | i december | en décembre
        in winter | på vintern | en hiver
        in summer | på sommaren | en été
        today | i/0 dag/0 | aujourd'hui
        every day | varje dag | chaque jour""",
    "past": """
        yesterday | i/0 går/0 | hier
        last week | förra veckan | la/1 semaine/1 dernière/0
        last month | förra månaden | le/1 mois/1 dernier/0
        last year | förra året | l'/1 année/1 dernière/0""",
    "future": """
        tomorrow | i/0 morgon/0 | demain
        next week | nästa vecka | la/1 semaine/1 prochaine/0
        next month | nästa månad | le/1 mois/1 prochain/0
        next year | nästa år | l'/1 année/1 prochaine/0
        on/0 Monday/0 | på/0 måndag/0 | lundi/0
        on/0 Friday/0 | på/0 fredag/0 | vendredi/0""",
}
