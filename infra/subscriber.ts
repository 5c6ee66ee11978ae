// Who hears the alarms of a stage: `npm run package` and `npm run deploy` refuse a stage of which nobody has said it.
import { optionOf } from './deploy.ts';

/** infra/parameters.yml as read. */
export type StageParameters = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

/** Why the stage can't be packaged like this; undefined where its alarms are heard. */
export function unheard(args: readonly string[], parameters: StageParameters): string | undefined {
  const stage = optionOf(args, 'stage') ?? 'dev';
  const said = args.findLast((it) => /^(--param=)?operatorEmail=/.test(it))?.replace(/^.*operatorEmail=/, '');
  const who = said ?? String(parameters[stage]?.['operatorEmail'] ?? parameters['default']?.['operatorEmail'] ?? '');
  const remedy = `give --param operatorEmail=<address>, or operatorEmail=elsewhere where OperatorTopic gets its subscribers another way; to say it once, write it into infra/parameters.yml under ${stage}:`;
  if (who === '') return `nobody would hear the alarms of stage ${stage}: ${remedy}`;
  if (who === 'none' && stage.startsWith('prod'))
    return `a production stage can't do without somebody to tell: ${remedy}`;
  if (!/^(none|elsewhere|[^\s@]+@[^\s@]+)$/.test(who)) return `operatorEmail=${who} is no e-mail address: ${remedy}`;
  return undefined;
}
