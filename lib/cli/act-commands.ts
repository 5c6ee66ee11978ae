// The command line of every act: its command from its row, and what happens between a command and its act. Whose money it is is said
// first; what asks for a yes is shown as it is now, by the decision itself, dry.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Act, type ActField, faultOf, type Given } from '../operate/act.ts';
import { actNames, actOf } from '../operate/acts.ts';
import { runAgainstAws } from './aws-failure.ts';
import type { CommonOptions } from './perform-act.ts';

/** Adds the command of every act. */
export function addActs(program: Command, these: readonly Act[] = actNames.map(actOf)): void {
  for (const act of these) if (!act.hasOwnCommand) addAct(program, act);
}

/** The command of an act: its words, what it takes and what it does, without the fields that the command says in its own way. */
export function commandOfAct(program: Command, act: Act, own: readonly string[] = []): Command {
  const [name = '', ...groups] = act.command.split(' ').toReversed();
  const parent = groups.reduceRight<Command>(
    (at, word) => at.commands.find((it) => it.name() === word) ?? at.command(word),
    program,
  );
  const command = parent
    .command(name)
    .summary(`${act.title}.`)
    .description(`${act.title}. ${act.effect({})}`);
  const fields = Object.entries(act.fields).filter(([key]) => !own.includes(key));
  const args = fields.filter(([, { flag }]) => flag === undefined);
  for (const [key, field] of args)
    command.argument(field.optional ? `[${key}]` : `<${key}>`, field.label, (text) => checked(field, text));
  for (const [key, field] of fields) if (field.flag !== undefined) command.addOption(optionOf(key, field));
  return command;
}

function addAct(program: Command, act: Act): void {
  const command = commandOfAct(program, act);
  if (act.isWalk) command.option('--dry-run', 'show what each would do, and move nothing', false);
  if (act.question) command.option('--yes', 'do not ask', false);
  if (act.help !== undefined) command.addHelpText('after', act.help);
  command.action(async () => {
    const { performAct } = await import('./perform-act.ts');
    await runAgainstAws(() => performAct(act, givenOf(act, command), command.optsWithGlobals<CommonOptions>()));
  });
}

/** What the command line said, by the names of the fields. */
export function givenOf(act: Act, command: Command): Given {
  // An option of the command above it is taken there.
  const options = command.optsWithGlobals<Readonly<Record<string, unknown>>>();
  const args = Object.keys(act.fields).filter((key) => act.fields[key]?.flag === undefined);
  const said = Object.entries(act.fields).flatMap(([key, field]) => {
    const value = field.flag === undefined ? command.processedArgs[args.indexOf(key)] : options[attributeOf(field)];
    return value === undefined || value === false ? [] : [[key, textOf(value)] as const];
  });
  return Object.fromEntries(said);
}

const textOf = (value: unknown) => (Array.isArray(value) ? value.join('\n') : String(value));

const attributeOf = ({ flag = '' }: ActField) =>
  flag.slice(2).replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/** The option of a field. */
export function optionOf(key: string, field: ActField): Option {
  const { flag = '', label, isSwitch, isMany, choices, optional } = field;
  const option = new Option(isSwitch ? flag : `${flag} <${valueNames[key] ?? key}>`, label);
  if (choices) option.choices(Object.keys(choices));
  else if (isMany) option.argParser((text: string, all: readonly string[] = []) => [...all, checked(field, text)]);
  else if (!isSwitch) option.argParser((text: string) => checked(field, text));
  return optional ? option : option.makeOptionMandatory();
}

/** The name of an option's value, where the field's own says too much. */
const valueNames: Readonly<Record<string, string>> = {
  as: 'end',
  reason: 'text',
  gatewayOrderId: 'id',
  message: 'id',
  endedBefore: 'day',
  for: 'arn',
  approval: 'token',
  twoPersons: 'choice',
  kmsKey: 'id',
};

/** The value of a field as it is typed. Throws the fault that commander reports. */
export function checked(field: ActField, text: string): string {
  const fault = text.trim() === '' ? 'is empty' : faultOf(field, text.trim());
  if (fault !== undefined) throw new InvalidArgumentError(fault);
  return text.trim();
}
