"""Claims of papers on instruction tuning, held against the recorded runs."""

from linebyline.claims.declare import claim, depends, holds, percent
from linebyline.experiments.studies import runs


@claim("zhou2023", "new-facts", "Nearly all that an assistant knows comes from pretraining; tuning teaches its style.")
@holds("The same pairs teach facts about other people only to a model that has read about them.")
def _knows_from_pretraining() -> str:
    read, untrained = runs("answering", rate=3e-4), runs("answering", rate=3e-4, untrained=True)
    return f"facts of other people: pretrained {percent(read, 'facts')}, untrained {percent(untrained, 'facts')}"


@claim("shi2024", "answers-only", "A loss on the questions as well helps, where answers are short and few.")
@depends("Not here: the names in the questions cost facts, because the embedding table is trained with them.")
def _loss_on_questions() -> str:
    answers, everything, frozen = (
        runs("answering", rate=3e-4, **more)
        for more in ({}, {"names": True, "others": True}, {"names": True, "others": True, "frozen table": True})
    )
    said = (("answers", answers), ("all tokens", everything), ("all, frozen table", frozen))
    return "facts: " + ", ".join(f"{name} {percent(each, 'facts')}" for name, each in said)
