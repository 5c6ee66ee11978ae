// What every page is drawn from: money, times, states, bars, tables. Text is never parsed as HTML.
import { h } from './preact.mjs';
import htm from './htm.mjs';

export const html = htm.bind(h);

/** The address of a page; the slash of `merchant/order` stays readable. */
export function to(page, id = '', params = {}) {
  const query = new URLSearchParams(Object.entries(params).filter(([, it]) => it)).toString();
  const path = id === '' ? page : `${page}/${encodeURIComponent(id).replaceAll('%2F', '/')}`;
  return `#/${path}${query && `?${query}`}`;
}

/** Amounts are decimal text from end to end: nothing here is a float. */
function amountText(amount) {
  const digits = amount.split('.')[1]?.length ?? 0;
  return new Intl.NumberFormat('en-GB', { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(
    amount,
  );
}

const none = html`<span class="soft none">–</span>`;

export const Money = ({ amount, currency }) =>
  amount === undefined ? none : html`<span class="money">${amountText(amount)} <small>${currency}</small></span>`;

export const sums = (list) => (list.length === 0 ? none : list.map((it) => html`<${Money} ...${it} /> `));

/** The sum of decimal texts by currency, in whole units of their last digit. */
export function sumsOf(rows) {
  const found = new Map();
  for (const { amount, currency } of rows.filter((it) => it.amount !== undefined)) {
    const digits = amount.split('.')[1]?.length ?? 0;
    found.set(currency, { digits, units: (found.get(currency)?.units ?? 0n) + BigInt(amount.replace('.', '')) });
  }
  return [...found].map(([currency, { units, digits }]) => {
    const text = String(units).padStart(digits + 1, '0');
    return { currency, amount: digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}` };
  });
}

export const plural = (count, one, many = `${one}s`) => `${count.toLocaleString('en-GB')} ${count === 1 ? one : many}`;

const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
];

export function span(ms) {
  const abs = Math.abs(ms);
  const [size, name] = units.find(([it]) => abs >= it) ?? [1000, 's'];
  return `${Math.floor(abs / size)} ${name}`;
}

const clockFormat = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
export const longDay = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });

/** Today a clock, before it the day as well. */
export function clock(ms) {
  const isToday = new Date(ms).toDateString() === new Date().toDateString();
  return isToday ? clockFormat.format(ms) : `${dayFormat.format(ms)}, ${clockFormat.format(ms)}`;
}

const Time = ({ ms, title, children }) =>
  html`<time datetime=${new Date(ms).toISOString()} title=${title}>${children}</time>`;

export const Clock = ({ ms }) => html`<${Time} ms=${ms} title=${new Date(ms).toISOString()}>${clock(ms)}<//>`;

export function Ago({ ms, isDue }) {
  if (ms === undefined) return none;
  const away = Date.now() - ms;
  return html`<${Time} ms=${ms} title=${clock(ms)}>${away < 0 ? `in ${span(away)}` : isDue ? 'now' : span(away)}<//>`;
}

/** A state: a word with a mark; the colour only helps. */
export const State = ({ tone, label }) => html`<span class=${`pill ${tone}`}>${label}</span>`;

/** Parts of a whole, side by side. Widths are attributes of SVG: the content policy knows no style attribute. */
export function Bar({ parts, total, label }) {
  let x = 0;
  const rects = parts.map(({ tone, count }) => {
    const width = total === 0 ? 0 : (100 * count) / total;
    x += width;
    return html`<rect class=${tone} x=${x - width} y="0" width=${width} height="1" />`;
  });
  return html`<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" role="img" aria-label=${label}>
    ${rects}
  </svg>`;
}

/** A part of an answer that could not be read says so, and the rest of the page stays. */
export const part = (it, drawn, what = '') =>
  it.kind === 'found'
    ? drawn(it.value)
    : html`<p class="trouble">${what}${it.kind === 'not-allowed' ? 'Not allowed' : 'Could not be read'}: ${it.why}</p>`;

export const Section = ({ title, link, children, kind = '' }) =>
  html`<section class=${`card ${kind}`} aria-label=${title}>
    <header>
      <h2>${title}</h2>
      ${link}
    </header>
    ${children}
  </section>`;

export const Facts = ({ facts }) =>
  html`<dl class="facts">
    ${facts
      .filter(([, value]) => value !== undefined && value !== '')
      .map(
        ([name, value]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
  </dl>`;

export const Copied = ({ text }) => {
  const copy = ({ currentTarget: it }) =>
    void navigator.clipboard.writeText(text).then(() => {
      it.textContent = 'Copied';
    });
  return html`<div class="command">
    <code tabindex="0">${text}</code>
    <button type="button" class="quiet" aria-label="Copy the command" onClick=${copy}>Copy</button>
  </div>`;
};

/** A table that the address sorts and pages, that is walked with j and k, and that selects. Its roles stay where CSS lays rows out as blocks. */
export function Table({ name, columns, rows, pick, sort, onSort, empty = 'Nothing here.' }) {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  const head = ({ key, label, number, isSorted }) => {
    const is = sort?.replace('-', '') === key ? (sort.startsWith('-') ? 'descending' : 'ascending') : undefined;
    const next = is === 'ascending' ? `-${key}` : key;
    const text =
      onSort && isSorted ? html`<button type="button" onClick=${() => onSort(next)}>${label}</button>` : label;
    return html`<th scope="col" role="columnheader" class=${number ? 'number' : ''} aria-sort=${is}>${text}</th>`;
  };
  const row = (it) => {
    const open = ({ target }) => {
      if (it.href && !target.closest('a,button,input,label') && !String(getSelection())) location.hash = it.href;
    };
    return html`<tr key=${it.id} role="row" class=${pick?.has(it) ? 'picked' : ''} onClick=${open}>
      ${pick && html`<td role="cell" class="pick"><${Tick} isOn=${pick.has(it)} label=${`Select ${it.what}`} onChange=${() => pick.toggle([it])} /></td>`}
      ${columns.map(({ key, label, cell, number, isMain, below }) => {
        const inner = cell ? cell(it) : it[key];
        return html`<td role="cell" data-label=${label} class=${`c-${key} ${number ? 'number' : ''} ${isMain ? 'main' : ''}`}>
          ${isMain && it.href ? html`<a href=${it.href} data-row>${inner}</a>` : inner}${below && html`<p class="below">${below(it)}</p>`}
        </td>`;
      })}
    </tr>`;
  };
  const isAll = pick && rows.every(pick.has);
  return html`<div class="scroll">
    <table role="table" class=${name}>
      <caption class="hidden">
        ${name}
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${pick && html`<th scope="col" role="columnheader" class="pick"><${Tick} isOn=${isAll} label="Select all shown" onChange=${() => pick.toggle(rows, !isAll)} /></th>`}
          ${columns.map(head)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map(row)}
      </tbody>
    </table>
  </div>`;
}

const Tick = ({ isOn, label, onChange }) =>
  html`<label><input type="checkbox" checked=${isOn} onChange=${onChange} /><span class="hidden">${label}</span></label>`;
