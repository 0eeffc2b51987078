#!/usr/bin/env python3
"""Writes the small built-in model: GloVe text, about 800 common English words, 20 dimensions.

It stands in for GloVe where there is no network, and serves the tests. Each word is the sum of a topic,
a group of near-synonyms within it (one line below) and itself, each a seeded Gaussian. The three
scales make epsilon behave as on GloVe: nearest words about 1 apart, topics about 5. There are
no one-letter words, as in the default model. Same bytes at every run. Usage: make_tiny_model.py OUT
"""
import math
import random
import sys

DIMENSIONS = 20
SEED = 20
TOPIC_SCALE, GROUP_SCALE, WORD_SCALE = 0.85, 0.42, 0.25

TOPICS = {
    "function": """
        the this that these those an some any each every
        and or but so because although while if than
        of in on at by with from for about into over under between through without
        to not no nor never cannot dont didnt wont doesnt isnt
        he she him her they them it we us you me
        his my your our their its hers mine
        is was were be been being am are
        have has had having do does did done doing
        will would could should can may might must
        there here where when then now once
        as like such same other another both
        who which what whose how why
        all many much more most few less least lot several
        very too quite rather really truly almost nearly just only even still
        up down out off back away around
        one two three four five six seven eight nine ten hundred thousand
        something anything nothing everything someone anyone nobody everyone
        again also always often sometimes usually ever perhaps maybe
        yes ok well oh please thanks
    """,
    "time": """
        time day night week month year hour minute moment
        today tonight tomorrow yesterday morning evening afternoon
        before after until since during later soon already yet
        monday friday saturday sunday weekend summer winter spring autumn
        early late new old young recent
        first second third last next final
    """,
    "food": """
        food meal dish plate menu course
        dinner lunch breakfast supper brunch
        chicken beef pork fish lamb steak
        soup salad bread rice pasta noodles pizza sandwich burger
        coffee tea wine beer water juice milk
        cake dessert chocolate cream pie cookie sugar
        cheese butter egg sauce salt pepper garlic onion tomato potato
        restaurant cafe bar kitchen table bakery
        waiter waitress chef cook barista server
        delicious tasty fresh warm spicy sweet crispy
        bland cold salty greasy stale burnt bitter
        eat drink taste order serve bake fry
        ate drank tasted ordered served baked
    """,
    "film": """
        movie film show series episode picture
        story plot script scene ending dialogue
        actor actress director cast character hero villain
        music song sound soundtrack voice band
        comedy drama thriller horror romance documentary
        book novel author writer chapter page
        funny hilarious witty charming clever
        boring slow dull predictable tedious long
        watch see hear read listen
        watched saw heard read listened
        laughed cried smiled slept
    """,
    "feeling": """
        good great nice fine decent solid
        excellent wonderful amazing fantastic superb brilliant perfect
        best better favourite finest
        bad poor weak mediocre disappointing
        terrible awful horrible dreadful disgusting
        worst worse
        love loved enjoy enjoyed adore
        like liked prefer recommend recommended
        hate hated dislike regret avoid
        happy glad pleased delighted satisfied
        sad angry upset annoyed frustrated disappointed
        beautiful lovely pretty gorgeous elegant
        ugly dirty filthy messy
        friendly kind polite helpful attentive warm
        rude unfriendly careless impatient
        surprised impressed shocked amazed
        hope wish want need wanted needed hoped
    """,
    "shop": """
        price cost money value deal bill
        cheap affordable inexpensive fair reasonable
        expensive overpriced costly pricey
        buy bought purchase purchased sell sold pay paid
        store shop market website online
        box package delivery shipping parcel
        arrived came delivered shipped sent returned
        product item brand quality design size colour
        phone battery screen camera laptop charger cable
        shoes shirt dress jacket jeans
        broken damaged faulty useless defective
        works worked broke failed stopped
        refund return replacement warranty exchange
        service staff manager customer support team
        big large huge small tiny little
        black white red blue green brown
    """,
    "place": """
        place room house home hotel apartment flat
        city town street village country beach park
        bed bathroom shower window door floor kitchen
        clean quiet cosy comfortable bright spacious
        noisy loud crowded dark cramped
        station airport train bus car taxi bike
        drive drove walk walked ride travel trip journey
        stay stayed visit visited leave left
        north south east west near far close
        london paris york berlin rome
        garden tree river lake mountain sea
        sun rain snow wind weather
    """,
    "people": """
        people man woman person guy lady
        friend friends family neighbour guest
        mother father parents mum dad wife husband
        son daughter baby child children kids boy girl
        brother sister cousin uncle aunt
        doctor nurse dentist surgeon patient
        hospital clinic surgery pharmacy
        pain illness disease cancer fever cold
        medicine treatment drug therapy pills
        teacher student school class lesson college
        lawyer police court judge
        boss worker job office company business work
        dog cat bird horse pet
        name face hand head eye heart hair
    """,
    "action": """
        go went going gone come coming
        get got getting take took taken give gave given
        make made making put set keep kept
        say said tell told ask asked talk talked speak
        know knew think thought believe feel felt remember forget
        look looked find found seem seemed
        try tried use used start started begin began
        stop end finish finished wait waited
        help helped change changed open opened closed
        call called write wrote answer answered
        run play played win lost move moved
        way thing part kind reason problem question idea fact
        right wrong true real sure different special
        fast quick easy hard simple difficult
        high low full empty half whole
        free safe ready able
    """,
}


def gaussian(rng, scale):
    # Box-Muller on random(), whose values Python promises to keep; gauss() is not promised.
    radius = math.sqrt(-2.0 * math.log(1.0 - rng.random()))
    return scale * radius * math.cos(2.0 * math.pi * rng.random())


def direction(rng, scale):
    return [gaussian(rng, scale) for _ in range(DIMENSIONS)]


def rows():
    """(place in the topic, topic, word, vector), a word's first mention only."""
    rng = random.Random(SEED)
    seen = set()
    result = []
    for topic_index, lines in enumerate(TOPICS.values()):
        topic = direction(rng, TOPIC_SCALE)
        place = 0
        for line in lines.strip().splitlines():
            group = direction(rng, GROUP_SCALE)
            for word in line.split():
                own = direction(rng, WORD_SCALE)
                if word not in seen:
                    seen.add(word)
                    vector = [t + g + o for t, g, o in zip(topic, group, own)]
                    # Rough frequency order: function words first, then the topics in turn.
                    order = (0, place, 0) if topic_index == 0 else (1, place, topic_index)
                    result.append((order, word, vector))
                place += 1
    return sorted(result, key=lambda row: row[0])


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: make_tiny_model.py OUT")
    with open(sys.argv[1], "w", encoding="utf-8", newline="\n") as out:
        for _, word, vector in rows():
            out.write(word + " " + " ".join(f"{value:.5f}" for value in vector) + "\n")


if __name__ == "__main__":
    main()
