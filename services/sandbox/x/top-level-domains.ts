const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

/** Two-letter domains that are delegated. */
export const COUNTRY_DOMAINS = words(`
ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bv bw by bz ca cc cd cf cg ch ci ck cl cm cn co cr
cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht
hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp
mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg
sh si sj sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye yt
za zm zw`);

/**
 * The generic domains in common use; a rarer one counts as text here, which only makes the sandbox's count differ by a
 * few characters.
 */
export const GENERIC_DOMAINS = words(`
com net org edu gov mil int arpa aero asia biz cat coop info jobs mobi museum name post pro tel travel xxx
academy accountant accountants actor adult agency airforce amsterdam apartments app archi army art arte associates attorney auction audio author auto
autos baby band bank bar barcelona bargains basketball beauty beer berlin best bet bible bid bike bingo bio black blog blue boats bond boo book boutique
box broker brussels build builders business buy buzz bzh cab cafe cam camera camp capital car cards care career careers cars casa cash casino catering
center ceo chat cheap christmas church city claims cleaning click clinic clothing cloud club coach codes coffee college cologne community company
computer condos construction consulting contact contractors cooking cool country coupons courses credit creditcard cricket cruises cymru dad dance data
date dating day deal deals degree delivery democrat dental dentist design dev diamonds diet digital direct directory discount diy doctor dog domains
download earth eco education email energy engineer engineering enterprises equipment esq estate eus events exchange expert exposed express fail faith
family fan fans farm fashion film finance financial fish fishing fit fitness flights florist flowers foo food football forsale forum foundation frl fun
fund furniture futbol fyi gal gallery game games garden gay gent gift gifts gives glass global gmbh gold golf google graphics gratis green gripe group
guide guitars guru hair hamburg haus health healthcare help hiphop hockey holdings holiday homes horse hospital host hosting hot house how icu immo
immobilien inc industries ink institute insurance insure international investments irish ist istanbul jetzt jewelry kaufen kim kitchen kiwi koeln land
lat law lawyer lease legal lgbt life lighting limited limo link live living llc loan loans lol london lotto love ltd luxe luxury madrid maison management
map market marketing markets mba media melbourne meme memorial men menu miami moda moe mom money monster mortgage moscow motorcycles mov movie music nagoya
navy network new news nexus ngo ninja nrw nyc observer one ong onl online organic osaka page paris partners parts party pet phd photo photography photos
pics pictures pink pizza place plumbing plus poker porn press prof productions promo properties property protection pub quebec quest racing radio recipes
red rehab reise reisen rent rentals repair report republican rest restaurant review reviews rich rip rocks rodeo rsvp rugby ruhr run sale salon school
science scot security services sex sexy shiksha shoes shop shopping show singles site ski skin soccer social software solar solutions soy space sport
spot srl storage store stream studio study style sucks supplies supply support surf surgery swiss sydney systems tattoo tax taxi team tech technology
tennis theater tickets tienda tips tires tirol today tokyo tools top tours town toys trade trading training tube university uno vacations vegas ventures
vet viajes video villas vin vip vision vlaanderen vodka vote voting voyage wales wang watch watches webcam website wedding whoswho wien wiki win wine
work works world wtf xin xyz yachts yoga yokohama zip zone`);
