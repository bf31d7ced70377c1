// Notes in the reader's browser that a chapter was read, once its exercises come into view, unless the reader said no.
(() => {
  const KEY = "clearformer-read";
  const exercises = document.querySelector("#exercises");
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
  }).observe(exercises.querySelector("h2"));
})();
