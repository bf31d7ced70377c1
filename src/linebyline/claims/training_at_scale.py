"""Claims on warm-up, the place of norms and large batches, held against the recorded experiments."""

from functools import cache

from linebyline.claims.declare import claim, depends
from linebyline.experiments import results, studies, warmup
from linebyline.experiments.studies import Facts

PEAK = max(warmup.RATES)


@cache
def _record(name: str) -> Facts:
    return studies.read(name)


@claim("003", "warmup-decides", "To train a Transformer, warm up the learning rate.")
@depends("Pre-norm needs it with a quiet start. In post-norm it costs a bit at a low rate; at a high one it is open.")
def _warm_up() -> str:
    gains = results.gains(_record("warmup"))
    low, high = min(warmup.RATES), PEAK
    asked = {"post": [("post", 4, low), ("post", 4, high)], "pre": [("pre", 4, high)]}
    said = [
        f"{norm}-norm {', '.join(f'{gains[key].mean:+.2f} ± {gains[key].half:.2f} at {key[2]:g}' for key in keys)}"
        for norm, keys in asked.items()
    ]
    found: dict[int, list[float]] = {w: [] for w in warmup.WARMUPS}
    for run in _record("quiet_start")["runs"]:
        if (run["setting"]["start"], run["setting"]["peak"]) == ("both", high):
            found[run["setting"]["warmup"]].append(run["unseen"])
    quiet = results.mean_of(none - some for none, some in zip(*found.values(), strict=True))
    said.append(f"quiet start {quiet.mean:+.2f} ± {quiet.half:.2f}")
    return f"nats it gains, 4 blocks: {'; '.join(said)}"


@claim("003", "warmup-decides", "Residual connections and layer norms make the block trainable.")
@depends("It depends on where the norm is: twelve post-norm blocks learn little more than frequencies.")
def _norm_makes_trainable() -> str:
    losses = results.losses(_record("warmup"))
    best = {norm: min(it for key, it in losses.items() if key[:2] == (norm, 12)) for norm in ("post", "pre")}
    said = [f"{norm}-norm {it.mean:.2f} ± {it.half:.2f}" for norm, it in best.items()]
    n = min(it.n for it in best.values())
    return f"nats a token, 12 blocks, 200 steps, {n} seeds, best rate and warm-up: {', '.join(said)}"


@claim("003", "warmup-decides", "The gradient shrinks through the norms, which makes training hard.")
@depends("At the start it does not. After large steps it does, in post-norm's early blocks; warm-up softens it.")
def _gradient_shrinks() -> str:
    ratios = dict[tuple[str, int, int], float]()
    for norm, steps in (("post", 0), ("post", 50), ("pre", 0)):
        setting = {"norm": norm, "n_layers": 4, "peak": PEAK, "warmup": steps, "seed": 0}
        run = next(run for run in _record("warmup")["runs"] if run["setting"] == setting)
        for it in run["watched"]:
            ratios[norm, steps, it["step"]] = it["gradient"][0] / it["gradient"][-1]
    after = [ratios[key] for key in (("post", 0, 16), ("post", 50, 16), ("pre", 0, 16))]
    return (
        f"gradient of block 1 over 4, post-norm: first step {ratios['post', 0, 0]:.1f}, step 16 {after[0]:.3f}, "
        f"with warm-up {after[1]:.2f}; pre-norm {after[2]:.1f}"
    )


@claim("003", "batch-size", "Use a large batch, of 1000 or more.")
@depends(
    "A thousand of what? Here a thousand tokens are near the noise scale at first, a thousand windows far above it."
)
def _large_batch() -> str:
    record = _record("batch_size")
    scales = results.noise_scales(record)
    last, context = max(scales), record["recipe"]["context"]
    losses = results.by_batch(record, windows=1024)
    return (
        f"noise scale {scales[last].mean:.0f} windows of {context} after {last} steps; 1,024 windows read: "
        f"{losses[8].mean:.2f} nats in batches of 8, {losses[256].mean:.2f} in batches of 256"
    )
