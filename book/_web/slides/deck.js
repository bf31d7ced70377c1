// Starts reveal.js, and shrinks what is taller or wider than its slide.
{
  const SMALLEST = 0.5;

  const tooLarge = (shown) =>
    shown.scrollHeight > shown.clientHeight ||
    [shown, ...shown.querySelectorAll("div.math, pre, table")].some((part) => part.scrollWidth > part.clientWidth);

  const fit = () => {
    for (const shown of document.querySelectorAll(".slides .shown")) {
      for (let zoom = 1; tooLarge(shown) && zoom > SMALLEST; zoom -= 0.02) shown.style.setProperty("--zoom", zoom);
    }
  };

  // For printing each slide is moved to a page of its own, and measured again.
  for (const event of ["ready", "pdf-ready"]) {
    Reveal.on(event, async () => {
      await document.fonts.ready;
      fit();
      document.documentElement.dataset.fitted = event;
    });
  }
  Reveal.initialize({
    width: 1280,
    height: 720,
    margin: 0,
    center: false,
    display: "flex",
    hash: true,
    slideNumber: "c/t",
    transition: "none",
    pdfMaxPagesPerSlide: 1,
    viewDistance: 1000, // all slides are laid out from the start, so each can be measured
    mobileViewDistance: 1000,
  });
}
