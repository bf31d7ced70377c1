// Lets the keyboard reach what scrolls sideways. The theme measures all of it when the page has loaded, which lays the
// whole page out at once; here each part is measured when it is drawn and when its size changes.
(() => {
  const SCROLLING = "pre, .cell_output > .output, .pst-scrollable-table-container";

  const measure = (entries) => {
    for (const { target: it } of entries) {
      it.tabIndex = it.scrollWidth > it.clientWidth || it.scrollHeight > it.clientHeight ? 0 : -1;
    }
  };

  const start = () => {
    const watch = new ResizeObserver(measure);
    document.querySelectorAll(SCROLLING).forEach((part) => watch.observe(part));
  };

  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
  else start();
})();
