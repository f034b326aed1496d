/** Filters the table. It takes nothing from the page into markup: rows are only hidden and shown. */
export const SCRIPT = `
const controls = document.getElementById('controls');
const filter = document.getElementById('filter');
const shown = document.getElementById('shown');
const toggles = [...controls.querySelectorAll('input[type=checkbox]')];
const rows = [...document.querySelectorAll('tbody tr')].map((row) => ({
  row,
  result: row.dataset.result,
  text: row.textContent.toLowerCase(),
}));

function apply() {
  const kinds = new Set(toggles.filter((toggle) => toggle.checked).map((toggle) => toggle.value));
  const words = filter.value.toLowerCase().split(/\\s+/);
  let count = 0;
  for (const { row, result, text } of rows) {
    const fits = kinds.has(result) && words.every((word) => text.includes(word));
    row.hidden = !fits;
    if (fits) count++;
  }
  shown.textContent = count + ' of ' + rows.length + ' shown';
}

controls.addEventListener('input', apply);
controls.addEventListener('submit', (event) => event.preventDefault());
controls.hidden = false;
apply();
`;
