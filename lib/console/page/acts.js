// Acts: their buttons and their one dialog, drawn from the table of acts that the server gives. No act is written here.
import { Copied, Facts, clock, html, Money, plural, sumsOf } from './parts.js';
import { ask, draw, pick, store, tell } from './store.js';

const formOf = (name) => store.session.acts[name];

/** What can be done to one thing. What can't be done now says why. */
export function Acts({ can, about }) {
  const { isReadOnly } = store.session;
  return html`<ul class="can">
    ${can.map(({ act, given, says, why, but }) => {
      const { title, label } = formOf(act);
      const text = why === undefined ? (isReadOnly ? 'This console is read-only.' : says) : `Not now: ${why}`;
      const open = () => openAct(act, [{ ...about, given }]);
      const isShut = why !== undefined || isReadOnly;
      return html`<li>
        <p><strong>${title}</strong><span class="soft">${text}</span>${but && html`<br /><span class="soft">Not now: ${but}</span>`}</p>
        ${!isShut && html`<button type="button" aria-label=${`${label} ${about.what}`} onClick=${open}>${label}…</button>`}
      </li>`;
    })}
  </ul>`;
}

/** The acts that everything selected allows. */
export function Bulk() {
  const rows = [...store.picked.values()];
  if (rows.length === 0) return undefined;
  const possible = ({ can }) => can.filter(({ why }) => why === undefined).map((it) => [it.act, it.given]);
  const allowed = rows.map((row) => new Map(possible(row)));
  const common = [...allowed[0].keys()].filter((act) => allowed.every((it) => it.has(act)));
  const targets = (act) => rows.map((row, at) => ({ ...row, given: allowed[at].get(act) }));
  const open = (act) => openAct(act, targets(act));
  return html`<div class="bulk" role="region" aria-label="Selected">
    <strong>${plural(rows.length, 'selected', 'selected')}</strong>
    <span class="sums">${sumsOf(rows).map((it) => html`<${Money} ...${it} /> `)}</span>
    ${common.length === 0 && html`<span class="soft">no act fits all of them</span>`}
    ${!store.session.isReadOnly && common.map((act) => html`<button type="button" onClick=${() => open(act)}>${formOf(act).label}…</button>`)}
    <button type="button" class="quiet" onClick=${pick.clear}>Clear</button>
  </div>`;
}

let opener;

function openAct(name, targets) {
  opener = document.activeElement;
  store.dialog = { name, targets, given: {} };
  draw();
}

/** The focus goes back to where it was; a row that has gone leaves it to the row in its place (main.js). */
function close() {
  store.dialog = undefined;
  draw();
  requestAnimationFrame(() => requestAnimationFrame(() => opener?.isConnected && opener.focus()));
}

/** Anything that is changed needs a preview of its own. */
function fill(key, value) {
  const given = { ...store.dialog.given, [key]: value };
  if (value === '' || value === false) delete given[key];
  store.dialog = { ...store.dialog, given, shown: undefined, failed: undefined };
  draw();
}

async function send(path, targets) {
  const { name } = store.dialog;
  store.dialog.isBusy = true;
  draw();
  const answer = await ask(path, { act: name, targets });
  if (store.dialog) store.dialog = { ...store.dialog, isBusy: false };
  return answer.kind === 'found' ? answer.value : { failed: answer.why };
}

const filledIn = ({ targets, given }) => targets.map((it) => ({ ...it.given, ...given }));
/** A later frame: what was just drawn takes the focus. */
const focusOn = (selector) => requestAnimationFrame(() => document.querySelector(selector)?.focus());

async function preview(event) {
  event.preventDefault();
  // Read again: the dialog shows the present state.
  const { given } = store.dialog;
  const { failed, ...shown } = await send('api/preview', filledIn(store.dialog));
  // Input that changed meanwhile needs its own preview.
  if (store.dialog?.given !== given) return draw();
  const targets = store.dialog.targets.map((it, at) => ({ ...it, ...shown.items?.[at]?.about }));
  store.dialog = { ...store.dialog, ...(failed === undefined ? { shown, targets, failed } : { failed }) };
  draw();
  // The focus goes to what was said, never to Confirm: a second Enter must confirm nothing.
  focusOn('dialog .preview');
}

async function confirm() {
  const { targets, shown } = store.dialog;
  const asked = filledIn(store.dialog).map((it, at) => ({ ...it, seen: shown.items[at].seen }));
  const wanted = targets.filter((_, at) => shown.items[at].ok);
  const { items = [], failed } = await send(
    'api/act',
    asked.filter((_, at) => shown.items[at].ok),
  );
  const done = items.filter((it) => it.done);
  const isDone = (it) => items[wanted.indexOf(it)]?.done === true;
  for (const it of targets.filter(isDone)) store.picked.delete(it.id);
  const left = targets.filter((it) => !isDone(it));
  const words = done.flatMap(({ word }) => word ?? []);
  const why = failed ?? items.find((it) => !it.done)?.text ?? shown.items.find(({ ok }) => !ok)?.why;
  // What was typed stays, and what was refused can be tried again.
  const next = words.length > 0 ? { words, text: done[0].text } : { shown: undefined, targets: left, failed: why };
  if (words.length === 0 && left.length === 0) close();
  else if (store.dialog) store.dialog = { ...store.dialog, ...next };
  focusOn('dialog .preview');
  if (done.length > 0) tell(done.map(({ text }) => text).join('; '));
  await store.refresh(true);
}

function Field({ field, value }) {
  const { key, label, kind, choices, optional } = field;
  const id = `field-${key}`;
  const change = ({ currentTarget: it }) => fill(key, kind === 'switch' ? it.checked && 'true' : it.value);
  const input = { id, name: key, autocomplete: 'off', required: !optional, value: value ?? '', onInput: change };
  const choice = (it) =>
    html`<label class="choice"><input type="radio" name=${key} value=${it.value} checked=${value === it.value} onChange=${change} /><span>${it.says}</span></label>`;
  if (kind === 'choice') return html`<fieldset><legend>${label}</legend>${choices.map(choice)}</fieldset>`;
  if (kind === 'switch')
    return html`<label class="choice"><input type="checkbox" id=${id} checked=${value === 'true'} onChange=${change} /><span>${label}</span></label>`;
  return html`<div class="field">
    <label for=${id}>${label}${optional && html` <span class="soft">optional</span>`}</label>
    ${kind === 'text' ? html`<textarea ...${input} rows="2" maxlength="2000"></textarea>` : html`<input ...${input} />`}
  </div>`;
}

/** The subject: one thing with all that is known of it, or a list with its sums. */
function About({ targets }) {
  if (targets.length > 1)
    return html`<div class="about">
      <p class="big">${sumsOf(targets).map((it) => html`<${Money} ...${it} /> `)}</p>
      <ul class="listed">${targets.map((it) => html`<li><span>${it.what}</span><${Money} ...${it} /></li>`)}</ul>
    </div>`;
  const [{ seen = [], ...it }] = targets;
  return html`<div class="about">
    ${it.amount !== undefined && html`<p class="big"><${Money} ...${it} /></p>`}
    <${Facts} facts=${[
      ['State', it.state?.label],
      ['Payee', it.payee],
      ['Merchant', it.merchant],
      ['Endpoint', it.endpoint],
      ['Claimed', it.sentAtMs && clock(it.sentAtMs)],
      ['Gateway order', it.gatewayOrderId],
      ['Payouts', it.rows && String(it.rows)],
      ['Reason', seen.length === 0 ? it.reason : undefined],
    ]} />
    ${seen.length > 0 && html`<h3>What was seen</h3><ul class="seen">${seen.map((one) => html`<li>${one}</li>`)}</ul>`}
  </div>`;
}

function Shown({ shown }) {
  const refused = shown.items.filter(({ ok }) => !ok);
  return html`${refused.length < shown.items.length && html`<h3>What will happen</h3><p>${shown.effect}</p>`}
    ${shown.items.map(({ text }) => text && html`<pre>${text}</pre>`)}
    ${refused.map(({ what, why }) => html`<p class="trouble"><strong>${what}</strong> Not now: ${why}</p>`)}
    <p class=${`where ${store.session.isLive ? 'live' : ''}`}>${shown.where}</p>
    <h3>The same as a command</h3>
    <${Copied} text=${shown.items.map(({ command }) => command).join('\n')} />`;
}

/** What another person needs, or the gateway's support: it is shown once. */
const Word = ({ it }) =>
  html`<header>
      <h2 id="act-title">Done</h2>
      <p>${it.text}</p>
    </header>
    <div>${it.words.map((word) => html`<${Copied} text=${word} />`)}</div>
    <footer><button type="button" class="primary" onClick=${close}>Close</button></footer>`;

export function Dialog() {
  const it = store.dialog;
  if (!it) return undefined;
  const { title, label, asks, fields, oneOf } = formOf(it.name);
  const first = it.targets[0].given;
  const isGiven = (key) => key in first || (oneOf.includes(key) && oneOf.some((one) => one in first));
  const asked = fields.filter(({ key, kind }) => kind !== 'seen' && !isGiven(key));
  const field = (one) => html`<${Field} key=${one.key} field=${one} value=${it.given[one.key]} />`;
  const needed = asked.filter(({ optional }) => !optional);
  const more = asked.filter(({ optional }) => optional);
  const isFine = it.shown?.items.some(({ ok }) => ok) === true;
  const chosen = fields.find(({ kind, key }) => kind === 'choice' && it.given[key] !== undefined);
  const count = it.targets.length > 1 ? `${it.targets.length} × ` : '';
  const words = `Confirm: ${count}${chosen ? it.given[chosen.key].replace('-', ' ') : label.toLowerCase()}`;
  const about = it.targets.length === 1 ? it.targets[0].what : plural(it.targets.length, 'item');
  const body = it.words
    ? html`<${Word} it=${it} />`
    : html`<header><h2 id="act-title">${title}</h2><p class="mono">${about}</p></header>
        <div class="halves">
          <${About} targets=${it.targets} />
          <div class="asked">${needed.map(field)}
            ${more.length > 0 && html`<details open=${needed.length === 0}><summary>More options</summary>${more.map(field)}</details>`}</div>
        </div>
        <div class="preview" tabindex="-1" role="status">
          ${it.failed && html`<p class="trouble">${it.failed}</p>`}${it.shown && html`<${Shown} shown=${it.shown} />`}
        </div>
        <footer>
          <button type="button" onClick=${close}>Cancel</button>
          <button class=${isFine ? '' : 'primary'} disabled=${it.isBusy}>Preview</button>
          <button type="button" class=${`confirm ${asks ? 'danger' : 'primary'}`} disabled=${!isFine || it.isBusy} onClick=${confirm}>${isFine ? words : 'Confirm'}</button>
        </footer>`;
  return html`<dialog class="act" ref=${(dialog) => dialog && !dialog.open && dialog.showModal()} onClose=${close} aria-labelledby="act-title">
    <form novalidate onSubmit=${preview}>${body}</form>
  </dialog>`;
}
