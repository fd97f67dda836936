"use strict";
// A click on a table's head sorts by its column, a second click the other way round.
{
  const words = new Intl.Collator("en", { numeric: true });
  const number = (text) => {
    const plain = text.replace(/,/g, "");
    return /^[-+]?(\d|\.\d)/.test(plain) ? parseFloat(plain) : NaN;
  };
  const compare = (a, b) => {
    const [x, y] = [number(a), number(b)];
    return Number.isNaN(x) || Number.isNaN(y) ? words.compare(a, b) : x - y;
  };
  for (const table of document.querySelectorAll("table.sorts")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      head.querySelector("button").addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const body = table.tBodies[0];
        const cell = (row) => row.cells[column].textContent.trim();
        const empty = (row) => ["", "–"].includes(cell(row)); // what is not there comes last
        const rows = [...body.rows].sort((a, b) =>
          empty(a) - empty(b) || (down ? -1 : 1) * compare(cell(a), cell(b)));
        body.append(...rows);
      });
    });
  }
}
