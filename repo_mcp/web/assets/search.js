// Search as you type: fetches the results of this same page. Without it the form does the same.
"use strict";
(() => {
  const form = document.getElementById("form");
  const field = document.getElementById("q");
  const results = document.getElementById("results");
  const count = document.getElementById("count");
  const PAUSE = 150;
  const name = document.title.split(" · ").pop();
  let timer = 0;
  let running = null;

  const address = (more) => {
    const given = new URLSearchParams();
    for (const [name, value] of new FormData(form)) {
      if (value !== "" && !(name === "mode" && value === "words")) given.append(name, value);
    }
    for (const name in more) given.append(name, more[name]);
    return "/search" + (given.size === 0 ? "" : "?" + given);
  };

  const announce = () => {
    const summary = document.getElementById("summary") || results.querySelector(".summary");
    count.textContent = summary === null ? "" : summary.textContent;
  };

  const search = async () => {
    if (running !== null) running.abort();
    const mine = (running = new AbortController());
    history.replaceState(null, "", address({}));
    results.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(address({ part: "results" }), { signal: mine.signal });
      const text = await answer.text();
      if (running !== mine) return;
      if (answer.status === 403) return form.submit();
      const parsed = new DOMParser().parseFromString(text, "text/html");
      results.replaceChildren(...parsed.body.childNodes);
      results.removeAttribute("aria-busy");
      document.title = (field.value || "Search") + " · " + name;
      announce();
    } catch (error) {
      if (error.name === "AbortError") return;
      results.textContent = count.textContent = "The server does not answer.";
      results.removeAttribute("aria-busy");
    }
  };

  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(search, PAUSE);
  };

  const move = (step) => {
    const links = [...results.querySelectorAll("a.result, .passage h3 a")];
    const at = links.indexOf(document.activeElement) + step;
    if (at < 0) field.focus();
    else if (at < links.length) links[at].focus();
  };

  form.addEventListener("input", later);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    search();
  });
  document.addEventListener("keydown", (event) => {
    const inside = event.target === field || results.contains(event.target);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/" && !(event.target instanceof HTMLInputElement)) field.focus();
    else if (event.key === "Escape" && results.contains(event.target)) field.focus();
    else if (event.key === "ArrowDown" && inside) move(1);
    else if (event.key === "ArrowUp" && inside) move(-1);
    else return;
    event.preventDefault();
  });
})();
