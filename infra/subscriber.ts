// Who hears the alarms of a stage: `npm run package` and `npm run deploy` refuse a stage of which nobody has said it.
import { type StageParameters, stageOf } from './arguments.ts';

/** Why the stage can't be packaged like this; undefined where its alarms are heard. */
export function unheard(args: readonly string[], parameters: StageParameters): string | undefined {
  const stage = stageOf(args);
  const said = args.findLast((it) => /^(--param=)?operatorEmail=/.test(it))?.replace(/^.*operatorEmail=/, '');
  const who = said ?? String(parameters[stage]?.['operatorEmail'] ?? parameters['default']?.['operatorEmail'] ?? '');
  const remedy = `give --param operatorEmail=<address>, or operatorEmail=elsewhere where PageTopic gets its subscribers another way; to say it once, write it into infra/stages/${stage}.yml`;
  if (who === '') return `nobody would hear the alarms of stage ${stage}: ${remedy}`;
  if (who === 'none' && stage.startsWith('prod'))
    return `a production stage can't do without somebody to tell: ${remedy}`;
  if (!/^(none|elsewhere|[^\s@]+@[^\s@]+)$/.test(who)) return `operatorEmail=${who} is no e-mail address: ${remedy}`;
  return undefined;
}
