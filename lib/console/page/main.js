// The frame around the pages: addresses, refreshing, keys, and finding.
import { render } from './preact.mjs';
import { Dialog } from './acts.js';
import { clock, Facts, html, part, to } from './parts.js';
import { pages } from './pages.js';
import { ask, draw, pick, store } from './store.js';

const everyMs = 15_000;
const typedMs = 200;
const root = document.getElementById('app');

/** Of several answers under way the one to the last question counts. */
let asked = 0;
store.refresh = async (isFresh = false) => {
  const own = ++asked;
  const question = [pages[store.page].of(store.id)].flat();
  const query = new URLSearchParams({ ...store.params, ...question[1], ...(isFresh && { fresh: '1' }) });
  const answer = await ask(`api/${question[0]}?${query}`);
  if (own !== asked) return;
  if (answer.kind === 'failed') store.fault = answer.why;
  else [store.answer, store.fault] = [answer, undefined];
  draw();
};

/** Never throws: what was typed by hand may be no encoding, and stays as it is. */
const decoded = (text) => new URLSearchParams(`=${text.replaceAll(/[&+]/g, encodeURIComponent)}`).get('');

let later;
async function go(isLater) {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  const [page = '', ...id] = path.split('/').map(decoded);
  const known = Object.hasOwn(pages, page) ? page : 'today';
  const isSame = store.page === known && store.id === id.join('/');
  Object.assign(store, { page: known, id: id.join('/'), params: Object.fromEntries(new URLSearchParams(query)) });
  document.title = `${store.id || pages[known].name} · payouts`;
  clearTimeout(later);
  if (isSame) return void (later = setTimeout(() => store.refresh(), typedMs));
  store.picked.clear();
  [store.answer, store.dialog] = [undefined, undefined];
  draw();
  // At once: when the answer comes, the user may already be at a row.
  if (isLater) requestAnimationFrame(() => document.querySelector('h1')?.focus());
  await store.refresh();
}

const inFrame = () =>
  Object.entries(pages).filter(([, it]) => !it.isHidden && (!it.isLocal || store.session.hasGateway));
const settings = { keys: localStorage.getItem('payouts-keys') !== 'off' };

/** An order id has a slash, as in acme-eu/INV-1; a batch id has none. */
function find(event) {
  event.preventDefault();
  const text = new FormData(event.currentTarget).get('find').trim();
  if (text !== '') location.hash = to(text.includes('/') ? 'orders' : 'batches', text);
}

function Frame() {
  const { session, answer, page, id, fault } = store;
  const { name, view } = pages[page];
  const body = answer?.page && ('kind' in answer.page ? part(answer.page, view) : view(answer.page));
  const link = ([to_, it]) => {
    const count = answer?.counts?.[it.count];
    return html`<li><a href=${to(to_)} aria-current=${to_ === page ? 'page' : undefined}>${it.name}${count > 0 && html`<span class="count">${count}</span>`}</a></li>`;
  };
  const skip = () => document.querySelector('h1').focus();
  return html`<button type="button" class="skip" onClick=${skip}>Skip to the page</button>
    <aside>
      <p class="brand">payouts <span class=${`stage ${session.isLive ? 'live' : ''}`}>${session.stage}${session.isReadOnly && ' · read only'}</span></p>
      <form role="search" onSubmit=${find}>
        <span class="keyed"><input name="find" type="search" autocomplete="off" aria-label="Find an order or batch" placeholder="Find order or batch"
          /><kbd aria-hidden="true">/</kbd></span>
      </form>
      <nav aria-label="Pages"><ul>${inFrame().map(link)}</ul></nav>
      <div class="who soft">
        <p>${session.who}</p>
        <p role="status">${answer ? html`as of ${clock(answer.asOfMs)}` : 'loading…'}</p>
        <p class="tools">
          <button type="button" class="quiet" onClick=${() => store.refresh(true)}>Refresh</button><button type="button" class="quiet" onClick=${help}>Keys</button>
        </p>
      </div>
    </aside>
    <main>
      ${fault && html`<p class="trouble" role="alert">Not refreshed${answer && ` since ${clock(answer.asOfMs)}`}: ${fault}</p>`}
      ${id && html`<p class="crumb"><a href=${to(page === 'orders' ? 'needs' : page)}>${page === 'orders' ? 'Needs a person' : name}</a></p>`}
      <h1 tabindex="-1" class=${id ? 'mono' : ''}>${id || name}</h1>
      ${body ?? html`<p class="loading">Loading…</p>`}
    </main>
    <p class="said" role="status">${store.said}</p>
    <${Dialog} />
    <dialog id="keys" aria-labelledby="keys-title">
      <form method="dialog">
        <header><h2 id="keys-title">Keys</h2></header>
        <${Facts} facts=${keyList.map(([key, says]) => [html`<kbd>${key}</kbd>`, says])} />
        <label class="choice"><input type="checkbox" checked=${settings.keys} onChange=${switchKeys} /><span>Single-key shortcuts are on</span></label>
        <footer><button class="primary">Close</button></footer>
      </form>
    </dialog>`;
}

const keyList = [
  ['j k', 'next or previous row'],
  ['Enter', 'open the row'],
  ['x', 'select the row'],
  ['Esc', 'clear the selection, close'],
  ['f', 'filter the table'],
  ['/', 'find an order or batch'],
  ['r', 'refresh'],
  ['g, then t n b l d', 'Today, Needs a person, Batches, Lanes, Dead letters'],
  ['?', 'these keys'],
];
const help = () => document.getElementById('keys').showModal();
function switchKeys({ currentTarget }) {
  settings.keys = currentTarget.checked;
  localStorage.setItem('payouts-keys', settings.keys ? 'on' : 'off');
}

/** The focus is the cursor: j and k move it from row to row, Enter opens the link that it is on. */
function step(by) {
  const rows = [...document.querySelectorAll('main a[data-row]')];
  const here = rows.indexOf(document.activeElement.closest?.('tr')?.querySelector('a[data-row]'));
  rows[Math.min(rows.length - 1, Math.max(0, here + by))]?.focus();
}

const keys = {
  j: () => step(1),
  k: () => step(-1),
  x: () => document.activeElement.closest?.('tr')?.querySelector('.pick input')?.click(),
  f: () => document.querySelector('[data-filter]')?.focus(),
  '/': () => document.querySelector('[name=find]').focus(),
  r: () => void store.refresh(true),
  '?': help,
  Escape: pick.clear,
};

let isGoing = false;
addEventListener('keydown', (event) => {
  const { target, key } = event;
  const isOpen = document.querySelector('dialog[open]');
  const isTyping = target.matches('input:not([type=checkbox], [type=radio]), textarea, select');
  if (key === 'Escape' && isTyping && !isOpen) return target.blur();
  if (!settings.keys || isTyping || event.ctrlKey || event.metaKey || event.altKey || isOpen) return;
  const page = isGoing && inFrame().find(([, it]) => it.key === key);
  isGoing = key === 'g';
  if (page) location.hash = to(page[0]);
  else if (Object.hasOwn(keys, key)) keys[key]();
  else return;
  event.preventDefault();
});

let lastRow = 0;
store.draw = () => {
  if (!store.session) return;
  const before = document.querySelector('dialog.act') ?? document.activeElement;
  const row = document.activeElement.closest?.('tbody tr');
  if (row) lastRow = [...row.parentElement.children].indexOf(row);
  render(html`<${Frame} />`, root);
  // What is gone takes the focus with it: the row at the place of the last one gets it.
  if (before === document.body || before.isConnected || document.activeElement !== document.body) return;
  const rows = document.querySelectorAll('main a[data-row]');
  (rows[Math.min(lastRow, rows.length - 1)] ?? document.querySelector('h1')).focus();
};

addEventListener('hashchange', () => void go(true));
// The first page is asked for beside the session, and drawn with it.
const first = go();
const session = await ask('api/session');
root.replaceChildren();
if (session.kind === 'failed') throw (root.append(session.why), new Error(session.why));
store.session = session;
draw();
await first;
// Nothing moves under a person who decides, or while the page is hidden.
setInterval(() => document.visibilityState === 'visible' && !store.dialog && void store.refresh(), everyMs);
