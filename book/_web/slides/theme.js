// The theme that was chosen in the book, or else that of the system; before anything is drawn.
{
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const mode = localStorage.getItem("mode");
    const chosen = mode === "light" || mode === "dark";
    document.documentElement.dataset.theme = chosen ? mode : dark.matches ? "dark" : "light";
  };
  dark.addEventListener("change", apply);
  apply();
}
