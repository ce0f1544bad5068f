"use strict";
(() => {
  const PAGE = 250; // rows of the table of students drawn at once
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  const bare = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

  // ------------------------------------------------------------ tables that sort

  function keyOf(row, column) {
    const cell = row.cells[column];
    const text = cell.dataset.s ?? cell.textContent.trim();
    const number = parseFloat(text);
    return text === "–" || text === "" ? null : Number.isNaN(number) || !/^[-+\d.%]+$/.test(text) ? text : number;
  }

  function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") return a - b;
    return collator.compare(String(a), String(b));
  }

  function sorted(rows, column, direction) {
    const keyed = rows.map((row) => [keyOf(row, column), row]);
    keyed.sort(([a], [b]) => (a === null || b === null ? (a === null) - (b === null) : direction * compare(a, b)));
    return keyed.map(([, row]) => row);
  }

  function sortable(table, reorder) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      head.querySelector("button")?.addEventListener("click", () => {
        const direction = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
        for (const other of heads) if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
        head.setAttribute("aria-sort", direction === 1 ? "ascending" : "descending");
        reorder((rows) => sorted(rows, column, direction));
      });
    });
  }

  for (const table of document.querySelectorAll("table.sortable:not(#students-table)")) {
    const body = table.tBodies[0];
    sortable(table, (order) => body.replaceChildren(...order([...body.rows])));
  }

  // ------------------------------------------------------------ students

  const table = document.getElementById("students-table");
  if (table) {
    const body = table.tBodies[0];
    const [search, status, flag] = ["search", "status", "flag"].map((id) => document.getElementById(id));
    const more = document.getElementById("more");
    const said = document.getElementById("students-count");
    let rows = [...body.rows];
    let most = PAGE;
    const texts = new Map(rows.map((row) => [row, bare(row.cells[0].textContent + " " + row.cells[1].textContent)]));

    const show = () => {
      const wanted = bare(search.value.trim());
      const found = rows.filter(
        (row) =>
          texts.get(row).includes(wanted) &&
          (!status.value || row.dataset.t === status.value) &&
          (!flag.value || (row.dataset.f ?? "").split(",").includes(flag.value)),
      );
      body.replaceChildren(...found.slice(0, most));
      said.textContent = `${found.length} of ${rows.length} students`;
      more.hidden = found.length <= most;
      more.textContent = `Show ${Math.min(PAGE, found.length - most)} more`;
    };
    sortable(table, (order) => { rows = order(rows); show(); });
    const afresh = () => { most = PAGE; show(); };
    search.addEventListener("input", afresh);
    for (const choice of [status, flag]) choice.addEventListener("change", afresh);
    more.addEventListener("click", () => { most += PAGE; show(); });
    addEventListener("beforeprint", () => { most = Infinity; show(); });
    addEventListener("afterprint", () => { most = PAGE; show(); });
    document.getElementById("filters").hidden = false;
    show();
    table.classList.add("ready");
  }

  // ------------------------------------------------------------ a link to details opens them

  const open = () => {
    const target = /^#d-\d+$/.test(location.hash) && document.getElementById(location.hash.slice(1));
    if (target) { target.open = true; target.scrollIntoView(); target.querySelector("summary").focus(); }
  };
  addEventListener("hashchange", open);
  open();

  // ------------------------------------------------------------ heat maps

  const STEPS = 6;
  const chooser = document.getElementById("heat-choice");
  if (!chooser) return;
  const heats = JSON.parse(document.getElementById("heats").textContent);
  const make = (tag, text, name) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (name) element.className = name;
    return element;
  };
  const written = (number) => (number === null ? "not finite" : String(number));

  // The shades span what was expected; what was found beyond that gets the last shade on its side.
  function shade(heat) {
    const finite = (matrix) => matrix.flat().filter((number) => number !== null);
    let numbers = finite(heat.expected);
    if (!numbers.length || Math.min(...numbers) === Math.max(...numbers)) numbers = numbers.concat(finite(heat.found));
    const low = Math.min(...numbers);
    const wide = Math.max(...numbers) - low || 1;
    const step = (number) => Math.round(STEPS * Math.min(1, Math.max(0, (number - low) / wide)));
    return (number) => (number === null ? "hx" : "h" + step(number));
  }

  const differs = (a, b) => (a === null || b === null ? a !== b : Math.abs(a - b) > 0.0011 + 1e-4 * Math.abs(b));

  function grid(heat, which, shaded) {
    const table = make("table", undefined, "heat");
    table.append(make("caption", which === "found" ? "Found" : "Expected"));
    const head = table.createTHead().insertRow();
    const corner = make("th", `${heat.rows} ↓  ${heat.columns} →`);
    corner.scope = "col";
    head.append(corner);
    heat[which][0].forEach((_, j) => { const th = make("th", String(heat.first[1] + j)); th.scope = "col"; head.append(th); });
    const body = table.createTBody();
    heat[which].forEach((numbers, i) => {
      const row = body.insertRow();
      const th = make("th", String(heat.first[0] + i));
      th.scope = "row";
      row.append(th);
      numbers.forEach((number, j) => {
        const off = which === "found" && differs(number, heat.expected[i][j]);
        const cell = make("td", written(number), shaded(number) + (off ? " off" : ""));
        if (off) cell.append(make("span", " differs", "sr"));
        row.append(cell);
      });
    });
    return table;
  }

  function summary(heat) {
    let count = 0, all = 0, first = "";
    heat.found.forEach((row, i) => row.forEach((number, j) => {
      all += 1;
      if (!differs(number, heat.expected[i][j])) return;
      count += 1;
      first ||= `, the first at ${heat.rows} ${heat.first[0] + i}, ${heat.columns} ${heat.first[1] + j}: ` +
        `expected ${written(heat.expected[i][j])}, found ${written(number)}`;
    }));
    return `${count} of the ${all} numbers shown differ${first}. They are underlined.`;
  }

  function draw(index) {
    const heat = heats[index];
    const others = heat.others ? ` and ${heat.others} more` : "";
    const pair = make("div", undefined, "pair");
    const shaded = shade(heat);
    for (const which of ["expected", "found"]) {
      const box = make("div", undefined, "scroll");
      box.tabIndex = 0;
      box.setAttribute("role", "region");
      box.setAttribute("aria-label", `${which}, ${heat.name}`);
      box.append(grid(heat, which, shaded));
      pair.append(box);
    }
    document.getElementById("heat").replaceChildren(
      make("h3", `${heat.exercise} › ${heat.check}`),
      make("p", heat.message),
      make("p", `${heat.name}${heat.at ? " at " + heat.at : ""}, from ${heat.student}${others}.`, "muted"),
      pair,
      make("p", summary(heat)),
    );
  }

  const groups = new Map();
  heats.forEach((heat, index) => {
    if (!groups.has(heat.exercise)) {
      const group = make("optgroup");
      group.label = heat.exercise;
      groups.set(heat.exercise, group);
    }
    const short = heat.message.length > 90 ? heat.message.slice(0, 90) + "…" : heat.message;
    const option = make("option", `${heat.others + 1} × ${heat.check}: ${short} (${heat.student})`);
    option.value = String(index);
    groups.get(heat.exercise).append(option);
  });
  chooser.append(...groups.values());
  chooser.addEventListener("change", () => draw(Number(chooser.value)));
  document.getElementById("heat-filter").hidden = false;
  if (heats.length) draw(0);
})();
