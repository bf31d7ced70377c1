"""Claims of papers on low-rank adaptation, held against the recorded runs and a merged layer."""

import copy
from statistics import fmean

import torch

from clearformer import training
from linebyline.assistant.chat import PAIRS, rows
from linebyline.assistant.model import base_model
from linebyline.claims.declare import claim, depends, difference, holds, percent
from linebyline.experiments.studies import runs


@claim("hu2022", "lora-layer", "Merged into the weights, the update costs no time when the model is used.")
@holds("The merged model has the matrices of the base model, in number and shape, and computes the same logits.")
def _merged_is_free() -> str:
    base = base_model().double()
    tuned = copy.deepcopy(base)
    training.add_lora(tuned, 8, generator=torch.Generator().manual_seed(0))
    for name, parameter in tuned.named_parameters():
        if parameter.requires_grad:
            torch.nn.init.normal_(parameter, std=0.2, generator=torch.Generator().manual_seed(len(name)))
    ids, _ = rows((pair.prompt(), pair.answer) for pair in PAIRS[:8])
    with torch.no_grad():
        before, first = tuned(ids), base(ids)
        training.merge_lora(tuned)
        after = tuned(ids)
    moved = (after - first).abs().max().item()
    shapes = [{name: p.shape for name, p in model.named_parameters()} for model in (base, tuned)]
    said = difference((after - before).abs().max().item(), 1e-10)
    return f"logits moved by up to {moved:.0f}, merged or not: {said}; same shapes: {shapes[0] == shapes[1]}"


@claim("hu2022", "lora-rank", "A rank as low as 1 is enough.")
@depends("It is enough for the facts. For the sums it is too, with four times as many steps.")
def _rank_1() -> str:
    few = runs("answering", rate=3e-2, rank=1, text_rows=1)
    many = runs("answering", rate=3e-2, rank=1, text_rows=1, steps=1600)
    return (
        f"400 steps: facts {percent(few, 'facts')}, sums {percent(few, 'sums')}; "
        f"1,600 steps: {percent(many, 'facts')}, {percent(many, 'sums')}"
    )


@claim("biderman2024", "lora-forgetting", "LoRA learns less than full tuning and forgets less.")
@depends("In 400 steps it learns fewer sums and forgets less. In 800 it learns as much and forgets as much.")
def _forgets_less() -> str:
    settings = {
        "full (400 steps)": {"rate": 3e-4},
        "LoRA (400)": {"rate": 1e-3, "rank": 8},
        "full (800)": {"rate": 2e-4, "steps": 800},
        "LoRA (800)": {"rate": 1e-3, "rank": 8, "steps": 800},
    }
    said = []
    for name, setting in settings.items():
        each = runs("answering", **setting)
        facts, sums, text = (fmean(run[key] for run in each) for key in ("facts", "sums", "text"))
        said.append(f"{name} {facts:.0%}, {sums:.0%}, {text:.1f}")
    return f"facts, sums, nats on old texts: {'; '.join(said)}"


@claim("dettmers2023", "rounded-base", "LoRA on a base of four bits is as good as on the full one.")
@holds("With four bits it is; with two bits both tasks suffer.")
def _four_bits() -> str:
    said = []
    for bits in (None, 4, 2):
        each = runs("answering", rate=3e-3, rank=8, text_rows=1, **({"bits": bits} if bits else {}))
        said.append(f"{f'{bits} bits' if bits else 'full'} {percent(each, 'facts')}, {percent(each, 'sums')}")
    return f"facts, sums: {'; '.join(said)}"
