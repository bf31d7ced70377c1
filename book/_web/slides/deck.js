// Starts reveal.js, and shrinks what is taller or wider than its slide.
{
  const SMALLEST = 0.5;

  const tooLarge = (body) =>
    body.scrollHeight > body.clientHeight + 1 ||
    [body, ...body.querySelectorAll("div.math, pre, table")].some((part) => part.scrollWidth > part.clientWidth + 1);

  const fit = () => {
    for (const body of document.querySelectorAll(".slides .shown")) {
      for (let zoom = 1; tooLarge(body) && zoom > SMALLEST; zoom -= 0.02) body.style.setProperty("--zoom", zoom);
    }
  };

  Reveal.on("ready", () => document.fonts.ready.then(fit));
  Reveal.initialize({
    width: 1280,
    height: 720,
    margin: 0,
    center: false,
    display: "flex",
    hash: true,
    slideNumber: "c/t",
    transition: "none",
    viewDistance: 1000, // all slides are laid out from the start, so each can be measured
    mobileViewDistance: 1000,
  });
}
