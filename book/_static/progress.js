// Notes in the reader's browser that a chapter was read, once its exercises, or its end, come into view, unless the reader said no.
(() => {
  const KEY = "clearformer-read";
  const end = document.querySelector("#exercises") ?? document.querySelector("#further-reading");
  const chapter = location.pathname.split("/").pop().replace(/\.html$/, "");
  new IntersectionObserver((entries, watch) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    watch.disconnect();
    try {
      const read = JSON.parse(localStorage.getItem(KEY) ?? "[]");
      if (read !== "no" && !read.includes(chapter)) localStorage.setItem(KEY, JSON.stringify([...read, chapter]));
    } catch {
      // A browser that keeps nothing has nothing to note.
    }
  }).observe(end.querySelector("h2"));
})();
