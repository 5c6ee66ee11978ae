// What a person can do, as data: the words of its command, its fields, its effect. From a row come the command line, the form of the
// console, what the browser may send, the command that a page prints, and the row of a page. Only `preview` and `run` know ports.
import * as v from 'valibot';
import type { Operator } from './operator.ts';
import type { RedrivePlan } from '../dead-letters/redrive-dead-letters.ts';
import { namesOfKey } from '../payout/order/order.ts';
import type { OrderView } from '../payout/order/projection.ts';
import { reasonToFill, shellWord, tool } from '../payout/operate/spelling.ts';
import { UsageError } from '../files/usage-error.ts';
import type { ApprovalCheck, ApprovalMaker } from '../batches/approval.ts';
import type { SafeguardsStore } from '../batches/safeguards.ts';
import type { CardRing } from '../card-data/secrets-manager-keyring.ts';
import type { RotatePorts } from '../merchants/rotate-key.ts';
import type { CallbackDesk } from '../merchants/secrets-manager-callback-desk.ts';

/** What the acts on merchants need beside the operator's port. */
interface MerchantPorts extends RotatePorts {
  readonly safeguards: SafeguardsStore;
  readonly macs: ApprovalCheck;
  /** For approvers alone. */
  readonly maker: ApprovalMaker;
  readonly identity: { whoAmI(): Promise<string> };
  readonly callbackDesk: CallbackDesk;
  readonly cardRing: CardRing;
}

/** A field of an act: an argument or an option of its command, an input of its form. */
export interface ActField {
  readonly label: string;
  /** Absent: an argument, in the order of the fields. */
  readonly flag?: string;
  readonly optional?: true;
  /** A yes or no. */
  readonly isSwitch?: true;
  /** Several values, an option each; one a line. */
  readonly isMany?: true;
  /** The values, and what each means in the form. */
  readonly choices?: Readonly<Record<string, string>>;
  readonly shape?: RegExp;
  /** Said of a value that has another shape. */
  readonly form?: string;
  /** What else may be wrong with a value. */
  readonly fault?: (value: string) => string | undefined;
  /** Of the command line alone. */
  readonly isTyped?: true;
  /** What was shown; the form and the command line fill it in. */
  readonly isSeen?: true;
}

/** What was filled in, by the names of the fields. */
export type Given = Readonly<Record<string, string | undefined>>;

/** The person's place: the port, and what ends long looks. */
export interface OperatorDesk {
  readonly operator: Operator;
  /** The same port, of which nothing is written and nothing is published: a preview is the decision itself over it. */
  readonly dry: Operator;
  /** The same, and the gateway is not asked either: what is looked at often costs it nothing. */
  readonly glance: Operator;
  readonly merchants: MerchantPorts;
  readonly signal?: AbortSignal;
  /** Runs a command of the tool without questions; in the console alone. */
  readonly runCommand?: (words: readonly string[]) => Promise<CommandEnd>;
}

/** The output of a command, and its exit code. */
export interface CommandEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What an act is about, as it is now, and what the act would do to it. */
export interface Shown {
  /** The order as it would be, or as it is looked at. */
  readonly order?: OrderView;
  readonly plan?: RedrivePlan;
  /** What of it was not looked at. */
  readonly note?: string;
  /** Whose money it is about, where no field says so. */
  readonly merchants?: readonly string[];
  readonly text?: string;
  /** Why it is refused now, and until when. */
  readonly why?: string;
  /** What was looked at: an act that names it is refused where that is no longer so. */
  readonly seen?: string;
}

/** What came of it. */
export interface Ended {
  readonly done: boolean;
  readonly text: string;
  /** The order as it is then. */
  readonly order?: OrderView;
  /** The outcome for a program. */
  readonly value: object;
  /** The text that another person needs. */
  readonly word?: string;
}

/** An act. */
export interface Act {
  /** Words of the command. */
  readonly command: string;
  readonly title: string;
  /** On whose pages it is. */
  readonly on: readonly ('order' | 'batch' | 'lane' | 'letter' | 'everywhere')[];
  readonly fields: Readonly<Record<string, ActField>>;
  /** Fields of which exactly one is filled in. */
  readonly oneOf?: readonly string[];
  /** What it does to the money, before a person says yes. */
  readonly effect: (it: Given) => string;
  /** Whose money it touches, where no field names an order or a merchant. */
  readonly whose?: (it: Given, shown: Shown) => readonly string[] | 'every merchant';
  /** What the command line asks before it does it; undefined: nothing. */
  readonly question?: (it: Given, shown: Shown) => string | undefined;
  /** What is looked at first, where the decision itself, dry, does not show it. */
  readonly preview?: (desk: OperatorDesk, it: Given) => Promise<Shown>;
  readonly run: (
    desk: Pick<OperatorDesk, 'operator' | 'merchants' | 'signal' | 'runCommand'>,
    it: Given,
    shown: Shown,
  ) => Promise<Ended>;
  /** It walks over the dead letters, and gives them back where it is interrupted. */
  readonly isWalk?: true;
  /** Its command line is a chapter of its own: `submit` and what reads files. */
  readonly hasOwnCommand?: true;
  /** More than the effect, under `--help`. */
  readonly help?: string;
}

const textAtMost = 2_000;

/** What is wrong with a value; undefined if nothing is. */
export function faultOf(field: ActField, value: string): string | undefined {
  if (value.includes(reasonToFill)) return `write what you saw in the place of ${reasonToFill}`;
  if (value.length > textAtMost) return `at most ${textAtMost} characters`;
  const faults = (field.isMany ? value.split('\n') : [value]).map((one) => {
    if (field.shape && !field.shape.test(one)) return field.form ?? 'is not valid';
    return field.fault?.(one);
  });
  return faults.find((it) => it !== undefined);
}

/** What the browser may send. Throws UsageError, which names the field. */
export function accepted({ fields, oneOf = [] }: Act, body: unknown): Given {
  const entries = Object.entries(fields).map(([name, field]) => {
    const text = v.pipe(
      v.string(),
      v.trim(),
      v.nonEmpty(),
      v.rawCheck(({ dataset, addIssue }) => {
        const message = dataset.typed ? faultOf(field, dataset.value) : undefined;
        if (message !== undefined) addIssue({ message });
      }),
    );
    const schema = field.choices ? v.picklist(Object.keys(field.choices)) : field.isSwitch ? v.literal('true') : text;
    return [name, field.optional ? v.exactOptional(schema) : schema] as const;
  });
  const read = v.safeParse(v.strictObject(Object.fromEntries(entries)), body);
  if (!read.success) {
    const [{ path, message, type }] = read.issues;
    const name = String(path?.[0]?.key ?? '');
    const isMissing = name in fields && !Object.hasOwn(Object(body), name);
    const why = isMissing ? 'fill it in' : type === 'raw_check' ? message : 'is not valid';
    throw new UsageError(`${fields[name]?.label ?? name}: ${why}`);
  }
  if (oneOf.length > 0 && oneOf.filter((name) => read.output[name] !== undefined).length !== 1)
    throw new UsageError(`name one of these alone: ${oneOf.map((name) => fields[name]?.flag ?? name).join(', ')}`);
  return read.output;
}

const quoted = (text: string) => `"${text.replaceAll(/["\\$`]/g, String.raw`\$&`)}"`;

/** The words of the command that does the same, as a shell takes them. */
export function commandOf({ command, fields }: Act, it: Given): string {
  const words = Object.entries(fields).flatMap(([name, field]) => {
    const value = it[name];
    if (value === undefined) return [];
    const { flag, isSwitch, isMany } = field;
    const word = (text: string) => (flag === '--reason' ? quoted(text) : shellWord(text));
    const each = isSwitch ? [] : (isMany ? value.split('\n') : [value]).map(word);
    if (flag === undefined) return each;
    return isSwitch ? [flag] : each.flatMap((text) => [flag, text]);
  });
  return [tool, command, ...words].join(' ');
}

/** Whose money it touches. */
export function whoseOf(act: Act, it: Given, shown: Shown): readonly string[] | 'every merchant' {
  if (act.whose) return act.whose(it, shown);
  if (shown.merchants) return shown.merchants;
  const { order, merchant } = it;
  if (order !== undefined) return [namesOfKey(order).merchant];
  return merchant === undefined ? 'every merchant' : [merchant];
}

/** What it would do: the decision itself, dry, where the act shows nothing else. */
export async function previewOf(act: Act, desk: OperatorDesk, it: Given): Promise<Shown> {
  if (act.preview) return act.preview(desk, it);
  const { done, text, order } = await act.run({ ...desk, operator: desk.dry }, it, {});
  return { order, why: done ? undefined : text };
}

/**
 * Whether it would be done now, by the decision itself: why not, or `but` where only some of its choices would be. The gateway is not
 * asked.
 */
export async function lookAhead(act: Act, desk: OperatorDesk, given: Given): Promise<{ why?: string; but?: string }> {
  const { glance } = desk;
  const said = act.fields['reason'] && { reason: 'a look ahead' };
  const chosen = Object.entries(act.fields).find(
    ([name, it]) => it.choices && !it.optional && given[name] === undefined,
  );
  const [name = '', { choices = {} } = {}] = chosen ?? [];
  const each = Object.keys(choices).map((value) => ({ [name]: value }));
  const found = [];
  for (const choice of each.length === 0 ? [{}] : each) {
    const { why } = await previewOf(act, { ...desk, operator: glance, dry: glance }, { ...said, ...given, ...choice });
    found.push({ why, choice: Object.values(choice)[0]?.replace('-', ' ') });
  }
  const refused = found.filter(({ why }) => why !== undefined);
  const [first] = refused;
  if (first?.why === undefined) return {};
  return refused.length === found.length ? { why: first.why } : { but: `${first.choice}: ${first.why}` };
}

/** The form of an act as data: the page draws any act by it. */
export function formOf(name: string, { title, fields, oneOf = [], question }: Act) {
  const asked = Object.entries(fields).filter(([, { isTyped }]) => !isTyped);
  const drawn = asked.map(([key, { label, optional, isSwitch, isMany, isSeen, choices }]) => ({
    key,
    label,
    optional: optional === true,
    kind: choices ? 'choice' : isSwitch ? 'switch' : isMany || key === 'reason' ? 'text' : isSeen ? 'seen' : 'line',
    choices: Object.entries(choices ?? {}).map(([value, says]) => ({ value, says })),
  }));
  const label = name.replace('-', ' ');
  return {
    label: `${label.slice(0, 1).toUpperCase()}${label.slice(1)}`,
    title,
    fields: drawn,
    oneOf,
    asks: question !== undefined,
  };
}
