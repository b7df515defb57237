"""What turns a claim round, and what only looks like it."""

import pytest

from ragsonde.scorers.score import Verdict
from tests.scorers.reading_builders import verdicts


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("The ticket is non-refundable.", "The ticket is refundable."),
        ("Restart the server after the update.", "Restart the server before the update."),
        ("After the update, restart the server.", "Restart the server before the update."),
        ("Nach dem Update den Server neu starten.", "Vor dem Update den Server neu starten."),
        ("The fee was reduced in May.", "The fee was increased in May."),
    ],
)
def test_the_opposite_is_a_contradiction(context: str, answer: str) -> None:
    assert verdicts(context, answer) == [Verdict.CONTRADICTED]


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("Membership is not only for students but also for staff.", "Membership is for students."),
        ("I couldn't be more excited about the launch.", "He is excited about the launch."),
        (
            "The pilot had barely over 600 hours of flight time.",
            "The pilot had a little over 600 hours of flight time.",
        ),
        (
            "Wouldn't at least one instructor have noticed the fault?",
            "At least one instructor would have noticed the fault.",
        ),
        ("The firm was founded without Wayne, who sold his share for $800.", "Wayne sold his share for $800."),
        ("As the altitude increases, the air pressure decreases.", "At high altitude the air pressure is reduced."),
        ("Restart the server after the update.", "Install the update before you restart the server."),
        ("After the update, restart the server.", "Restart the server after the update."),
        ("Treat it with nonsteroidal drugs.", "Treat it with non-steroidal drugs."),
        ("Fry the beef in a non-stick pan, then stir.", "Fry the beef in a pan, then stir."),
    ],
)
def test_what_only_looks_like_the_opposite_is_supported(context: str, answer: str) -> None:
    assert verdicts(context, answer) == [Verdict.SUPPORTED]


def test_an_answer_that_gives_the_values_of_all_cases_hides_none() -> None:
    context = "At 3 pm there is a 42% chance of rain. At 6 pm there is a 58% chance of rain."
    both = "There is a 42% chance of rain. Later there is a 58% chance of rain."
    assert verdicts(context, both) == [Verdict.SUPPORTED, Verdict.SUPPORTED]


def test_the_numbers_of_an_answers_own_steps_are_no_facts() -> None:
    context = "4. Collect the cream in a bowl over a week. 5. Churn the cream with ice and water."
    answer = "Step 1: Collect the cream in a bowl over a week. Step 2: Churn the cream with ice and water."
    assert set(verdicts(context, answer)) == {Verdict.SUPPORTED}
    assert Verdict.SUPPORTED not in verdicts("Step 4: Churn the cream with ice.", "Step 7: Churn the cream with ice.")


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("Neither the pool nor the sauna is heated.", "The pool and the sauna are heated."),
        ("None of the rooms has a balcony.", "The rooms have a balcony."),
        ("The pool is no longer open to visitors.", "The pool is open to visitors."),
        ("The card hardly ever works abroad.", "The card works abroad."),
        ("Smoking is banned in the lobby.", "Smoking is permitted in the lobby."),
        ("The tour is free of charge on Sundays.", "The tour is paid on Sundays."),
        ("The indoor pool is heated.", "The outdoor pool is heated."),
        ("Acme bought the plant in 2019.", "Acme sold the plant in 2019."),
        ("The service is available at night.", "The service is available during the day."),
        ("花园内禁止带狗。", "花园内允许带狗。"),
        ("馆内不得拍照。", "馆内可以拍照。"),
        ("该药物升高血压。", "该药物降低血压。"),
        ("博物馆周一开放。", "博物馆周一闭馆。"),
        ("员工不能提前下班。", "员工可以提前下班。"),
        ("价格含早餐。", "价格不含早餐。"),
        ("药物应在饭前服用。", "药物应在饭后服用。"),
        ("公司去年盈利。", "公司去年亏损。"),
        ("ห้ามถ่ายรูป", "ถ่ายรูปได้"),
        ("พิพิธภัณฑ์เปิดวันจันทร์", "พิพิธภัณฑ์ปิดวันจันทร์"),
        ("ราคาเพิ่มขึ้นในปีนี้", "ราคาลดลงในปีนี้"),
        ("التصوير ممنوع.", "التصوير مسموح."),
        ("المتحف مفتوح يوم الاثنين.", "المتحف مغلق يوم الاثنين."),
        ("يؤخذ الدواء قبل الطعام.", "يؤخذ الدواء بعد الطعام."),
        ("Se prohíbe fotografiar.", "Se permite fotografiar."),
        ("Ni la piscina ni la sauna están climatizadas.", "La piscina y la sauna están climatizadas."),
        ("La piscina ya no está abierta.", "La piscina está abierta."),
        ("Das Mittel senkt den Blutdruck.", "Das Mittel erhöht den Blutdruck."),
        ("Der Helm ist freiwillig.", "Der Helm ist Pflicht."),
        ("Das Bad ist nicht mehr geöffnet.", "Das Bad ist geöffnet."),
        ("Die Firma kaufte das Werk.", "Die Firma verkaufte das Werk."),
        ("Препарат повышает давление.", "Препарат понижает давление."),
        ("Билет действует без паспорта.", "Билет действует с паспортом."),
        ("Таблетку принимают до еды.", "Таблетку принимают после еды."),
        ("Ни бассейн, ни сауна не отапливаются.", "Бассейн и сауна отапливаются."),
        ("Tabletkę przyjmuje się przed jedzeniem.", "Tabletkę przyjmuje się po jedzeniu."),
        ("Ani basen, ani sauna nie są ogrzewane.", "Basen i sauna są ogrzewane."),
        ("Muzej je otvoren ponedjeljkom.", "Muzej je zatvoren ponedjeljkom."),
        ("Bazen nije grijan.", "Bazen je grijan."),
        ("Müze pazartesi açıktır.", "Müze pazartesi kapalıdır."),
        ("Bahçeye köpek girmez.", "Bahçeye köpek girer."),
        ("Havuz kışın çalışmıyor.", "Havuz kışın çalışıyor."),
        ("Biletler değiştirilemez.", "Biletler değiştirilebilir."),
        ("Muzium dibuka pada hari Isnin.", "Muzium ditutup pada hari Isnin."),
        ("Il est interdit de fumer dans le hall.", "Il est permis de fumer dans le hall."),
        ("La piscine n'est plus ouverte.", "La piscine est ouverte."),
        ("L'ingresso è gratuito.", "L'ingresso è a pagamento."),
        ("Os preços subiram em maio.", "Os preços desceram em maio."),
        ("Neem de pil voor het eten.", "Neem de pil na het eten."),
        ("Vstup je zdarma.", "Vstup je placený."),
        ("Музей відкритий у понеділок.", "Музей зачинений у понеділок."),
        ("館内での撮影は禁止されています。", "館内での撮影は許可されています。"),
        ("薬は食前に飲みます。", "薬は食後に飲みます。"),
        ("입장은 무료입니다.", "입장은 유료입니다."),
        ("موزه دوشنبه باز است.", "موزه دوشنبه بسته است."),
        ("संग्रहालय सोमवार को खुला है।", "संग्रहालय सोमवार को बंद है।"),
        ("Mr Hill lent the car to Ms Bay.", "Mr Hill borrowed the car from Ms Bay."),
    ],
)
def test_words_that_exclude_each_other_and_negations_count_in_any_language(context: str, answer: str) -> None:
    assert verdicts(context, answer) == [Verdict.CONTRADICTED]


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("Membership is not only for students but also for staff.", "Membership is for students and staff."),
        ("The fee is no more than 5 euros.", "The fee is at most 5 euros."),
        ("Neither the pool nor the sauna is heated.", "The pool and the sauna are not heated."),
        ("Neither the pool nor the sauna is heated.", "The pool isn't heated."),
        ("None of the rooms has a balcony.", "The rooms do not have balconies."),
        ("None of the rooms has a balcony.", "No room has a balcony."),
        ("The pool is no longer open.", "The pool is not open any more."),
        ("The pool is no longer open to visitors.", "The pool has closed to visitors."),
        ("Without a ticket, entry is not possible.", "Entry is possible only with a ticket."),
        ("It is not forbidden to take photos.", "It is allowed to take photos."),
        ("Smoking is prohibited.", "Smoking is not allowed."),
        ("Kouření je zakázáno.", "Kouřit se nesmí."),
        ("The museum is open daily except on Mondays, when it is closed.", "The museum is closed on Mondays."),
        ("Prices rose in May and fell in June.", "Prices fell in June."),
        ("The left lane is closed; the right lane is open.", "The right lane is open."),
        ("Take the drug before meals, never after meals.", "Take the drug before meals."),
        ("The price includes breakfast but excludes dinner.", "The price includes breakfast."),
        ("Not all rooms have a balcony.", "Some rooms have a balcony."),
        ("Not all rooms have a balcony.", "Some rooms do not have a balcony."),
        ("Do not enter without permission.", "Enter only with permission."),
        ("博物馆周二至周日开放，周一闭馆。", "博物馆周一闭馆。"),
        ("博物馆周二至周日开放，周一闭馆。", "博物馆周二至周日开放。"),
        ("不但免费，而且方便。", "免费而且方便。"),
        ("未经许可不得入内。", "没有许可不能入内。"),
        ("退款不会超过5天到账。", "退款5天内到账。"),
        ("พิพิธภัณฑ์เปิดวันอังคาร ปิดวันจันทร์", "พิพิธภัณฑ์ปิดวันจันทร์"),
        ("التصوير ممنوع.", "التصوير غير مسموح."),
        ("Se prohíbe fotografiar.", "No se permite fotografiar."),
        ("Está prohibido fumar.", "No está permitido fumar."),
        ("Ni la piscina ni la sauna están climatizadas.", "La piscina y la sauna no están climatizadas."),
        ("El plazo no es de más de 5 días.", "El plazo es de 5 días como máximo."),
        ("Der Helm ist nicht Pflicht.", "Der Helm ist freiwillig."),
        ("Hunde sind im Garten verboten.", "Hunde sind im Garten nicht erlaubt."),
        ("Das Bad ist nicht mehr geöffnet.", "Das Bad ist nicht länger geöffnet."),
        ("Ohne Ticket ist der Eintritt nicht möglich.", "Der Eintritt ist nur mit Ticket möglich."),
        ("Kein Zutritt ohne Ausweis.", "Zutritt nur mit Ausweis."),
        ("Никто из сотрудников не курит.", "Сотрудники не курят."),
        ("Без паспорта билет не действует.", "Билет действует только с паспортом."),
        ("Музей открыт со вторника по воскресенье, закрыт в понедельник.", "Музей закрыт в понедельник."),
        ("Palenie jest zabronione.", "Palenie jest niedozwolone."),
        ("Po remoncie muzeum otwarto przed świętami.", "Muzeum otwarto przed świętami po remoncie."),
        ("Pušenje je zabranjeno.", "Pušenje nije dozvoljeno."),
        ("Müze pazartesi kapalıdır, diğer günler açıktır.", "Müze pazartesi kapalıdır."),
        ("Bilet iade edilmez.", "Bilet iade edilemez."),
        ("Giriş ücretsizdir.", "Giriş ücretsiz."),
        ("Merokok dilarang.", "Merokok tidak dibenarkan."),
        ("Il est interdit de fumer.", "Il n'est pas permis de fumer."),
        ("La piscine n'est plus ouverte.", "La piscine n'est pas ouverte."),
        ("Il n'y a que deux guichets ouverts.", "Il y a deux guichets ouverts."),
        ("La piscina non è più aperta.", "La piscina non è aperta."),
        ("Roken is verboden.", "Roken is niet toegestaan."),
        ("犬は入れません。", "犬は入れない。"),
        ("Access requires a public key and a private key.", "Access requires a private key."),
        ("Shares were sold at 10 USD and bought back at 8 USD.", "Shares were bought back at 8 USD."),
        ("North Korea and South Korea signed the treaty.", "South Korea signed the treaty."),
        ("Revenue increased while costs decreased.", "Costs decreased."),
        ("After the war, the castle was rebuilt before 1950.", "The castle was rebuilt after the war."),
        ("Acme bought the plant from Bolt.", "Bolt sold the plant to Acme."),
        ("We sell tickets online.", "You can buy tickets online."),
    ],
)
def test_what_agrees_in_other_words_is_supported_in_any_language(context: str, answer: str) -> None:
    assert set(verdicts(context, answer)) == {Verdict.SUPPORTED}


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("The gallery is open from 10:00 to 17:00.", "The gallery closes at 17:00."),
        ("The camp site is open until 30 April.", "The camp site closes on 30 April."),
        ("The gallery closes at 17:00.", "The gallery is open until 17:00."),
        ("Der Laden ist von 9 bis 18 Uhr geöffnet.", "Der Laden schließt um 18 Uhr."),
        ("Le magasin est ouvert de 9 h à 18 h.", "Le magasin ferme à 18 h."),
        ("La tienda está abierta de 9 a 18 horas.", "La tienda cierra a las 18 horas."),
        ("Il negozio è aperto dalle 9 alle 18.", "Il negozio chiude alle 18."),
        ("A loja está aberta das 9 às 18 horas.", "A loja fecha às 18 horas."),
        ("De winkel is open van 9 tot 18 uur.", "De winkel sluit om 18 uur."),
        ("Магазин открыт с 9 до 18 часов.", "Магазин закрывается в 18 часов."),
        ("Sklep jest otwarty od 9 do 18.", "Sklep zamyka się o 18."),
        ("Trgovina je otvorena od 9 do 18 sati.", "Trgovina se zatvara u 18 sati."),
        ("商店营业时间为9点至18点。", "商店18点关门。"),
        ("開館時間は9時から17時までです。", "閉館は17時です。"),
        ("La tienda abre todos los días menos el domingo.", "La tienda cierra el domingo."),
        ("除周一外，博物馆每天开放。", "博物馆周一闭馆。"),
        ("月曜日を除き毎日開館しています。", "月曜日は休館です。"),
        ("月曜日は休館日です。", "月曜日は開いていません。"),
    ],
)
def test_the_end_of_an_opening_and_the_day_taken_out_of_it_are_no_opposites(context: str, answer: str) -> None:
    assert verdicts(context, answer) == [Verdict.SUPPORTED]


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("The gallery is open from 10:00 to 17:00.", "The gallery closes at 10:00."),
        ("The gallery is open from 10:00 to 17:00.", "The gallery closes at 16:00."),
        ("The gallery is open from 10:00 to 17:00.", "The gallery is closed."),
        ("Der Laden ist von 9 bis 18 Uhr geöffnet.", "Der Laden schließt um 9 Uhr."),
        ("除周一外，博物馆每天开放。", "博物馆周二闭馆。"),
        ("月曜日を除き毎日開館しています。", "火曜日は休館です。"),
        ("La tienda abre todos los días menos el domingo.", "La tienda cierra el lunes."),
    ],
)
def test_another_end_of_an_opening_is_not_borne_out(context: str, answer: str) -> None:
    assert Verdict.SUPPORTED not in verdicts(context, answer)


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("Only members may vote.", "Non-members may not vote."),
        ("Only residents may park here.", "Non-residents may not park here."),
        ("Seuls les membres peuvent voter.", "Les non-membres ne peuvent pas voter."),
        ("Nur Mitglieder dürfen abstimmen.", "Nichtmitglieder dürfen nicht abstimmen."),
        ("Solo i soci possono votare.", "I non soci non possono votare."),
        (
            "Only a certified technician may open the circuit.",
            "You must not open the circuit unless you are a certified technician.",
        ),
        ("The test is not reliable unless repeated.", "The test is reliable only if repeated."),
        ("Theft is excluded.", "Theft is not covered."),
        ("Water damage is covered, but theft is excluded.", "Theft is not covered."),
        ("Diebstahl ist ausgeschlossen.", "Diebstahl ist nicht gedeckt."),
        ("Dilarang mengambil gambar.", "Tidak boleh mengambil gambar."),
        ("Dilarang merokok di sini.", "Tidak boleh merokok di sini."),
        ("Fotograferen is verboden.", "Je mag niet fotograferen."),
    ],
)
def test_what_is_turned_twice_is_no_opposite(context: str, answer: str) -> None:
    assert verdicts(context, answer) == [Verdict.SUPPORTED]


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("Only members may vote.", "Non-members may vote."),
        ("Only members may vote.", "Members may not vote."),
        ("Nur Mitglieder dürfen abstimmen.", "Nichtmitglieder dürfen abstimmen."),
        ("Seuls les membres peuvent voter.", "Les non-membres peuvent voter."),
        ("Theft is excluded.", "Theft is covered."),
        ("Theft is covered.", "Theft is not covered."),
        ("Dilarang mengambil gambar.", "Boleh mengambil gambar."),
        ("Fotograferen is verboden.", "Je mag fotograferen."),
    ],
)
def test_what_is_turned_once_is_not_borne_out(context: str, answer: str) -> None:
    assert Verdict.SUPPORTED not in verdicts(context, answer)


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("The permit was granted in 2019.", "The permit was denied in 2019."),
        ("The drug is given orally.", "The drug is given intravenously."),
        ("It is an acute condition.", "It is a chronic condition."),
        ("The tumour was benign.", "The tumour was malignant."),
        ("The fee was waived.", "The fee was charged."),
        ("The file was encrypted before upload.", "The file was decrypted before upload."),
        ("She was hired in March.", "She was dismissed in March."),
        ("The results are sorted in ascending order.", "The results are sorted in descending order."),
        ("Der Antrag wurde genehmigt.", "Der Antrag wurde abgelehnt."),
        ("Das Gericht hat das Urteil aufgehoben.", "Das Gericht hat das Urteil bestätigt."),
        ("Die Behandlung erfolgt stationär.", "Die Behandlung erfolgt ambulant."),
        ("Le tribunal a annulé la décision.", "Le tribunal a confirmé la décision."),
        ("La demande a été acceptée.", "La demande a été refusée."),
        ("El tribunal anuló la multa.", "El tribunal confirmó la multa."),
        ("La solicitud fue concedida.", "La solicitud fue denegada."),
        ("Il tribunale ha annullato la multa.", "Il tribunale ha confermato la multa."),
        ("O pedido foi aprovado.", "O pedido foi indeferido."),
        ("O tribunal revogou a multa.", "O tribunal manteve a multa."),
        ("De aanvraag is goedgekeurd.", "De aanvraag is afgewezen."),
        ("Sąd uchylił grzywnę.", "Sąd utrzymał grzywnę."),
        ("Wniosek został zatwierdzony.", "Wniosek został odrzucony."),
        ("Soud zrušil pokutu.", "Soud potvrdil pokutu."),
        ("Žádost byla schválena.", "Žádost byla zamítnuta."),
        ("Súd zrušil pokutu.", "Súd potvrdil pokutu."),
        ("Sud je ukinuo kaznu.", "Sud je potvrdio kaznu."),
        ("Zahtjev je odobren.", "Zahtjev je odbijen."),
        ("Заявка одобрена.", "Заявка отклонена."),
        ("Суд скасував штраф.", "Суд підтвердив штраф."),
        ("Заяву схвалено.", "Заяву відхилено."),
        ("Mahkeme cezayı iptal etti.", "Mahkeme cezayı onadı."),
        ("Başvuru onaylandı.", "Başvuru reddedildi."),
        ("Permohonan itu diluluskan.", "Permohonan itu ditolak."),
        ("法院撤销了罚款。", "法院维持了罚款。"),
        ("申请已获批准。", "申请已被驳回。"),
        ("裁判所は罰金を取り消しました。", "裁判所は罰金を維持しました。"),
        ("申請は承認されました。", "申請は却下されました。"),
        ("법원은 벌금을 취소했다.", "법원은 벌금을 유지했다."),
        ("신청이 승인되었습니다.", "신청이 거부되었습니다."),
        ("ศาลยกเลิกค่าปรับ", "ศาลยืนยันค่าปรับ"),
        ("ألغت المحكمة الغرامة.", "أيدت المحكمة الغرامة."),
        ("دادگاه جریمه را لغو کرد.", "دادگاه جریمه را تأیید کرد."),
        ("Domstolen upphävde boten.", "Domstolen bekräftade boten."),
        ("Üyelik için ücret alınmaz.", "Üyelik ücretlidir."),
    ],
)
def test_the_contrary_word_of_a_field_is_a_contradiction(context: str, answer: str) -> None:
    assert verdicts(context, answer) == [Verdict.CONTRADICTED]


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("The court overturned the fine.", "The court did not uphold the fine."),
        ("The plan was not approved.", "The plan was rejected."),
        ("Der Antrag wurde nicht genehmigt.", "Der Antrag wurde abgelehnt."),
        ("La demande n'a pas été acceptée.", "La demande a été refusée."),
        ("Заявка не одобрена.", "Заявка отклонена."),
        ("申请未获批准。", "申请被驳回。"),
        ("Wniosek nie został zatwierdzony.", "Wniosek został odrzucony."),
        ("The invoice is sent by email within 2 days.", "You receive the invoice by email within 2 days."),
        ("The law was introduced in 1990 and abolished in 2003.", "The law was abolished in 2003."),
        ("The court confirmed that the ban had been lifted.", "The ban was lifted."),
        ("The court confirmed that the ban had been lifted.", "The court lifted the ban."),
        ("Students are exempt from the fee.", "Students are not subject to the fee."),
        ("Symptoms that do not improve need treatment.", "Symptoms that worsen need treatment."),
        ("Do not stop taking the tablets.", "Continue taking the tablets."),
        ("Die Rechnung wird per E-Mail verschickt.", "Sie erhalten die Rechnung per E-Mail."),
        ("Short breaks are part of the long trip.", "The trip is long."),
        ("Tickets are cheap in winter.", "Tickets are not expensive in winter."),
        ("Children travel free of charge.", "Children are not charged."),
        ("The bank granted the loan after it had first refused it.", "The bank granted the loan."),
        ("Суд отменил штраф, который ввела мэрия.", "Штраф ввела мэрия."),
        ("Il tribunale ha respinto il ricorso e ha confermato la multa.", "Il tribunale ha confermato la multa."),
        ("Le Conseil a rejeté le recours contre le plan approuvé en mai.", "Le plan a été approuvé en mai."),
    ],
)
def test_a_contrary_that_is_denied_or_said_of_something_else_is_none(context: str, answer: str) -> None:
    assert verdicts(context, answer) == [Verdict.SUPPORTED]


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("Музей відкритий щодня, крім понеділка.", "У понеділок музей зачинений."),
        ("Музей відкритий щодня, крім понеділка.", "Музей зачинений щопонеділка."),
        ("Музей відкритий щодня, крім середи.", "У середу музей зачинений."),
        ("Музей відкритий щодня, крім суботи.", "У суботу музей зачинений."),
        ("Музей відкритий щодня, крім п'ятниці.", "У п'ятницю музей зачинений."),
        ("Музей открыт ежедневно, кроме понедельника.", "В понедельник музей закрыт."),
        ("Музей открыт ежедневно, кроме понедельника.", "По понедельникам музей закрыт."),
        ("Музей открыт ежедневно, кроме среды.", "В среду музей закрыт."),
        ("Музей открыт ежедневно, кроме воскресенья.", "По воскресеньям музей закрыт."),
        ("Muzeum jest otwarte codziennie oprócz poniedziałku.", "W poniedziałek muzeum jest zamknięte."),
        ("Muzeum jest otwarte codziennie oprócz poniedziałków.", "W poniedziałki muzeum jest zamknięte."),
        ("Muzeum jest otwarte codziennie z wyjątkiem niedziel.", "W niedzielę muzeum jest zamknięte."),
        ("Muzeum je otevřeno denně kromě pondělí.", "V pondělí je muzeum zavřeno."),
        ("Muzeum je otevřeno denně kromě středy.", "Ve středu je muzeum zavřené."),
        ("Múzeum je otvorené denne okrem pondelka.", "V pondelok je múzeum zatvorené."),
        ("Múzeum je otvorené denne okrem stredy.", "V stredu je múzeum zatvorené."),
        ("Muzej je otvoren svaki dan osim ponedjeljka.", "Ponedjeljkom je muzej zatvoren."),
        ("Muzej je otvoren svaki dan osim ponedjeljka.", "U ponedjeljak je muzej zatvoren."),
        ("Muzej je otvoren svakog dana osim ponedeljka.", "Ponedeljkom je muzej zatvoren."),
        ("Muzej je otvoren svaki dan osim nedjelje.", "Muzej je nedjeljom zatvoren."),
        ("Muzej je otvoren svaki dan osim srijede.", "Muzej je srijedom zatvoren."),
        ("Музеј је отворен сваког дана осим понедељка.", "Понедељком је музеј затворен."),
        ("Museo on avoinna päivittäin paitsi maanantaisin.", "Museo on suljettu maanantaina."),
        ("A múzeum hétfő kivételével minden nap nyitva van.", "Hétfőn a múzeum zárva van."),
        ("A múzeum minden nap nyitva, kivéve hétfőn.", "A múzeum hétfőnként zárva."),
        ("Müze pazartesi hariç her gün açıktır.", "Müze pazartesi günleri kapalıdır."),
        ("Müze salı günleri dışında her gün açıktır.", "Müze salı günü kapalıdır."),
        ("Das Museum ist täglich außer montags geöffnet.", "Am Montag ist das Museum geschlossen."),
        ("Das Museum ist täglich außer Montag geöffnet.", "Montags ist das Museum geschlossen."),
        ("Museet är öppet alla dagar utom måndag.", "På måndagar är museet stängt."),
        ("Museet er åbent alle dage undtagen mandag.", "Museet er lukket om mandagen."),
        ("Το μουσείο είναι ανοιχτό καθημερινά εκτός Δευτέρας.", "Τη Δευτέρα το μουσείο είναι κλειστό."),
        ("Το μουσείο είναι ανοιχτό καθημερινά εκτός Κυριακής.", "Την Κυριακή το μουσείο είναι κλειστό."),
        ("Muzeul este deschis zilnic, exceptând lunea.", "Luni muzeul este închis."),
        ("Музеят е отворен всеки ден освен понеделник.", "В понеделник музеят е затворен."),
        ("Le musée est ouvert tous les jours sauf le lundi.", "Le musée est fermé le lundi."),
        ("المتحف مفتوح يوميا باستثناء الاثنين.", "المتحف مغلق يوم الاثنين."),
        ("Muzium dibuka setiap hari kecuali hari Isnin.", "Muzium ditutup pada hari Isnin."),
        ("Bảo tàng mở cửa hàng ngày trừ thứ Hai.", "Bảo tàng đóng cửa vào thứ Hai."),
        ("พิพิธภัณฑ์เปิดทุกวันยกเว้นวันจันทร์", "พิพิธภัณฑ์ปิดวันจันทร์"),
        ("박물관은 월요일을 제외하고 매일 개관합니다.", "박물관은 월요일에 휴관합니다."),
        ("המוזיאון פתוח בכל יום למעט יום שני.", "המוזיאון סגור ביום שני."),
        ("All pools are open except the outdoor pool in winter.", "The outdoor pool is closed in winter."),
        ("The museum is open daily except on public holidays.", "On public holidays the museum is closed."),
        ("Музей открыт ежедневно, кроме праздничных дней.", "В праздничные дни музей закрыт."),
        ("Muzeum jest otwarte codziennie oprócz świąt.", "W święta muzeum jest zamknięte."),
        ("Muzej je otvoren svaki dan osim praznika.", "Praznikom je muzej zatvoren."),
        ("Everyone pays except children.", "Children do not pay."),
        ("La tienda abre todos los días menos el domingo.", "La tienda no abre el domingo."),
        (
            "The indoor pool is open all year except on Tuesdays. The outdoor pool is open from May to September.",
            "The indoor pool is closed on Tuesdays.",
        ),
        (
            "The outdoor pool is open from May to September; the indoor pool is open all year except on Tuesdays.",
            "The indoor pool is open all year except on Tuesdays.",
        ),
        (
            "The outdoor pool is open from May to September; the indoor pool is open all year except on Tuesdays.",
            "Except on Tuesdays the indoor pool is open all year.",
        ),
        ("The museum is open except on Mondays, when it is closed.", "The museum is closed on Mondays."),
        (
            "The museum is open daily except Monday; on Monday guided tours are held for schools.",
            "On Monday guided tours are held for schools.",
        ),
        ("The museum, except for the café, is open on Mondays.", "The museum is open on Mondays."),
        ("Free entry for all except on Mondays, when adults pay 5 euros.", "On Mondays adults pay 5 euros."),
        ("월요일을 제외하고 매일 엽니다.", "월요일에는 열지 않습니다."),
    ],
)
def test_what_is_said_of_an_exception_is_the_opposite_of_the_rule(context: str, answer: str) -> None:
    assert verdicts(context, answer) == [Verdict.SUPPORTED]


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("Музей відкритий щодня, крім понеділка.", "У вівторок музей зачинений."),
        ("Музей відкритий щодня, крім понеділка.", "У понеділок музей відкритий."),
        ("Музей открыт ежедневно, кроме понедельника.", "Во вторник музей закрыт."),
        ("Muzej je otvoren svaki dan osim ponedjeljka.", "Utorkom je muzej zatvoren."),
        ("Muzej je otvoren svaki dan osim ponedjeljka.", "Ponedjeljkom je muzej otvoren."),
        ("La tienda abre todos los días menos el domingo.", "La tienda abre el domingo."),
        (
            "The outdoor pool is open from May to September; the indoor pool is open all year except on Tuesdays.",
            "The indoor pool is open on Tuesdays.",
        ),
        ("图书馆除周日外每天开放。", "图书馆周日开放。"),
        ("月曜日を除き毎日開館しています。", "月曜日は開館しています。"),
    ],
)
def test_the_rule_is_not_borne_out_of_its_exception(context: str, answer: str) -> None:
    assert Verdict.SUPPORTED not in verdicts(context, answer)


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("The law was repealed in 2003.", "The law is no longer in force since 2003."),
        ("The law is no longer in force since 2003.", "The law was repealed in 2003."),
        ("Registration is optional.", "Registration is not required."),
        ("Admission is free.", "Admission costs nothing."),
        (
            "L'assistenza è gratuita nei giorni feriali; nei festivi costa 40 euro.",
            "Nei giorni feriali l'assistenza non costa nulla.",
        ),
        ("Der Eintritt ist kostenlos.", "Der Eintritt kostet nichts."),
        ("L'entrée est gratuite.", "L'entrée ne coûte rien."),
        ("La entrada es gratuita.", "La entrada no cuesta nada."),
        ("A entrada é gratuita.", "A entrada não custa nada."),
        ("De toegang is gratis.", "De toegang kost niets."),
        ("Wstęp jest bezpłatny.", "Wstęp nic nie kosztuje."),
        ("Vstup je zdarma.", "Vstup nic nestojí."),
        ("Ulaz je besplatan.", "Ulaz ništa ne košta."),
        ("Вход бесплатный.", "Вход ничего не стоит."),
        ("Вход бесплатен.", "Вход ничего не стоит."),
        ("入场免费。", "入场不收费。"),
        ("保险不包括水灾。", "水灾不在保险范围内。"),
        ("本保险不承保地震。", "地震不在承保范围内。"),
        ("Das Gesetz wurde 2003 aufgehoben.", "Das Gesetz gilt seit 2003 nicht mehr."),
        ("La loi a été abrogée en 2003.", "La loi n'est plus en vigueur depuis 2003."),
        ("La ley fue derogada en 2003.", "La ley ya no está en vigor desde 2003."),
        ("Закон отменён в 2003 году.", "Закон больше не действует с 2003 года."),
        ("Die Teilnahme ist freiwillig.", "Die Teilnahme ist nicht verpflichtend."),
        ("La inscripción es opcional.", "La inscripción no es obligatoria."),
        ("Kayıt isteğe bağlıdır.", "Kayıt zorunlu değildir."),
        ("试用期工资不低于正式工资的80%。", "试用期工资至少为正式工资的80%。"),
        (
            "试用期为三个月，试用期工资不低于正式工资的80%。加班须经主管批准，未经批准的加班不计加班费。",
            "试用期工资至少为正式工资的80%。",
        ),
        ("行李不得超过20公斤。", "行李最多20公斤。"),
        ("行李不得超过20公斤。", "行李不能超过20公斤。"),
        ("作文不少于500字。", "作文至少500字。"),
        ("荷物は20キロを超えないでください。", "荷物は最大20キロです。"),
        ("짐은 20kg을 넘지 않아야 합니다.", "짐은 최대 20kg입니다."),
        ("กระเป๋าต้องหนักไม่เกิน 20 กก.", "กระเป๋าหนักได้สูงสุด 20 กก."),
        ("จำนวนนักเรียนไม่น้อยกว่า 30 คน", "จำนวนนักเรียนอย่างน้อย 30 คน"),
        ("不仅会员可以参加，非会员也可以参加。", "非会员可以参加。"),
    ],
)
def test_what_says_the_same_by_a_denial_is_supported(context: str, answer: str) -> None:
    assert set(verdicts(context, answer)) == {Verdict.SUPPORTED}


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("The law was passed in 2003.", "The law is no longer in force since 2003."),
        ("The law was repealed in 2003.", "The law is still in force."),
        ("The law was repealed in 2003.", "The law is no longer in force since 2005."),
        ("Registration is optional.", "Registration is required."),
        ("Registration is required.", "Registration is not required."),
        ("Admission is charged.", "Admission costs nothing."),
        ("试用期工资不低于正式工资的80%。", "试用期工资不超过正式工资的80%。"),
        ("试用期工资不低于正式工资的80%。", "试用期工资至多为正式工资的80%。"),
        ("行李不得超过20公斤。", "行李必须超过20公斤。"),
        ("作文不少于500字。", "作文最多500字。"),
        ("กระเป๋าต้องหนักไม่เกิน 20 กก.", "กระเป๋าต้องหนักอย่างน้อย 20 กก."),
        ("会议不公开。", "会议公开。"),
        ("不仅会员可以参加。", "会员不可以参加。"),
    ],
)
def test_a_denial_that_says_something_else_is_not_borne_out(context: str, answer: str) -> None:
    assert Verdict.SUPPORTED not in verdicts(context, answer)


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("The rare orchid blooms for just one night.", "Lovely! It blooms for three weeks!"),
        ("Das Visum gilt drei Monate.", "Das Visum gilt sechs Monate."),
        ("The rare orchid blooms for just one night.", "Wie schön! Sie blüht drei Wochen lang!"),
        ("Die Orchidee blüht nur eine Nacht.", "Wie schön! Sie blüht drei Wochen lang!"),
        ("L'orchidée ne fleurit qu'une nuit.", "Magnifique ! Elle fleurit trois semaines !"),
        ("La orquídea florece solo una noche.", "¡Qué bonito! ¡Florece tres semanas!"),
        ("Only a certified technician may open it.", "Anyone may open it."),
        ("It may be opened only by a certified technician.", "It may be opened by anyone."),
        ("Nur ein zertifizierter Techniker darf es öffnen.", "Jeder darf es öffnen."),
        ("Seul un technicien certifié peut l'ouvrir.", "Quiconque peut l'ouvrir."),
        ("Solo un técnico certificado puede abrirlo.", "Cualquiera puede abrirlo."),
        ("Solo un tecnico certificato può aprirlo.", "Chiunque può aprirlo."),
        ("Apenas um técnico certificado pode abri-lo.", "Qualquer pessoa pode abri-lo."),
        ("Alleen een gecertificeerde monteur mag het openen.", "Iedereen mag het openen."),
        ("Tylko certyfikowany technik może to otworzyć.", "Każdy może to otworzyć."),
        ("Pouze certifikovaný technik to smí otevřít.", "Kdokoli to smí otevřít."),
        ("Samo ovlašteni tehničar smije to otvoriti.", "Svako smije to otvoriti."),
        ("Только сертифицированный техник может это открыть.", "Любой может это открыть."),
        ("Yalnızca yetkili teknisyen açabilir.", "Herkes açabilir."),
        ("Hanya juruteknik bertauliah boleh membukanya.", "Sesiapa boleh membukanya."),
        ("只有持证技师可以打开。", "任何人可以打开。"),
    ],
)
def test_anyone_is_not_only_some_and_one_period_no_other(context: str, answer: str) -> None:
    assert Verdict.SUPPORTED not in verdicts(context, answer)


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("The rare orchid blooms for just one night.", "Lovely! It blooms for just one night!"),
        ("The orchid blooms for 21 days.", "It blooms for three weeks."),
        ("The course lasts a fortnight.", "The course lasts two weeks."),
        ("The trial lasts a year.", "The trial lasts twelve months."),
        ("Only a certified technician may open it.", "Not everyone may open it."),
        ("Only members may vote, but anyone may watch.", "Anyone may watch."),
        ("Only members may vote. Anyone may attend.", "Anyone may attend."),
        ("The only condition is that anyone who joins pays.", "Anyone who joins pays."),
        ("Entry is only for members and their guests.", "Any member may enter with guests."),
    ],
)
def test_a_restriction_or_a_period_in_other_words_is_supported(context: str, answer: str) -> None:
    assert set(verdicts(context, answer)) == {Verdict.SUPPORTED}
