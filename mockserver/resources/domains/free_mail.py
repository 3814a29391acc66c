"""Domains of providers of free mailboxes, whose users cannot set a record.

The service says that such a domain can be added and never authenticated, and names gmail.com, yahoo.com and orange.fr
as examples: https://help.brevo.com/hc/en-us/articles/16045394674066. It publishes no list. `FREE_MAIL` has the names
under which the providers give mailboxes away, as their pages for new mailboxes offer or offered them.
"""

from __future__ import annotations

FREE_MAIL = frozenset(
    """
    gmail.com googlemail.com
    outlook.com outlook.at outlook.be outlook.co.id outlook.com.ar outlook.com.au outlook.com.br outlook.com.tr
    outlook.cl outlook.cz outlook.de outlook.dk outlook.es outlook.fr outlook.ie outlook.in outlook.it outlook.jp
    outlook.kr outlook.my outlook.ph outlook.pt outlook.sa outlook.sg
    hotmail.com hotmail.be hotmail.ca hotmail.ch hotmail.co.jp hotmail.co.uk hotmail.com.ar hotmail.com.br
    hotmail.com.tr hotmail.de hotmail.dk hotmail.es hotmail.fi hotmail.fr hotmail.gr hotmail.it hotmail.nl hotmail.no
    hotmail.se
    live.com live.at live.be live.ca live.cl live.cn live.co.uk live.com.ar live.com.au live.com.mx live.com.pt
    live.de live.dk live.fi live.fr live.ie live.in live.it live.jp live.nl live.no live.se msn.com passport.com
    windowslive.com
    yahoo.com yahoo.at yahoo.be yahoo.ca yahoo.cl yahoo.co.id yahoo.co.in yahoo.co.jp yahoo.co.nz yahoo.co.th
    yahoo.co.uk yahoo.com.ar yahoo.com.au yahoo.com.br yahoo.com.co yahoo.com.hk yahoo.com.mx yahoo.com.my
    yahoo.com.pe yahoo.com.ph yahoo.com.sg yahoo.com.tr yahoo.com.tw yahoo.com.ve yahoo.com.vn yahoo.cz yahoo.de
    yahoo.dk yahoo.es yahoo.fi yahoo.fr yahoo.gr yahoo.hu yahoo.ie yahoo.in yahoo.it yahoo.nl yahoo.no yahoo.pl
    yahoo.pt yahoo.ro yahoo.se ymail.com rocketmail.com myyahoo.com
    aol.com aol.co.uk aol.de aol.es aol.fr aol.it aim.com
    icloud.com me.com mac.com
    proton.me protonmail.com protonmail.ch pm.me tutanota.com tutanota.de tutamail.com tuta.com tuta.io keemail.me
    gmx.com gmx.at gmx.ch gmx.co.uk gmx.de gmx.es gmx.fr gmx.net gmx.us web.de email.de mail.com mail.de freenet.de
    t-online.de arcor.de posteo.de
    orange.fr wanadoo.fr free.fr sfr.fr neuf.fr laposte.net bbox.fr numericable.fr club-internet.fr
    libero.it virgilio.it tin.it alice.it tiscali.it inwind.it iol.it
    bluewin.ch hispeed.ch skynet.be telenet.be proximus.be ziggo.nl kpnmail.nl planet.nl hetnet.nl
    btinternet.com sky.com talktalk.net ntlworld.com virginmedia.com
    comcast.net verizon.net att.net sbcglobal.net bellsouth.net cox.net charter.net earthlink.net juno.com
    rogers.com shaw.ca sympatico.ca videotron.ca bigpond.com optusnet.com.au xtra.co.nz
    uol.com.br bol.com.br terra.com.br ig.com.br globo.com sapo.pt telefonica.net
    wp.pl o2.pl onet.pl interia.pl op.pl seznam.cz centrum.cz azet.sk zoznam.sk freemail.hu citromail.hu abv.bg
    yandex.ru yandex.com ya.ru mail.ru bk.ru inbox.ru list.ru rambler.ru ukr.net
    qq.com foxmail.com 163.com 126.com yeah.net sina.com sohu.com aliyun.com naver.com daum.net hanmail.net
    rediffmail.com zoho.com zohomail.com zohomail.eu fastmail.com fastmail.fm hey.com hushmail.com mailfence.com
    """.split()  # noqa: SIM905  # two hundred names in quotes would be read by nobody
)
