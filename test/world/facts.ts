// All facts, by the heading under which the page infra/docs/world.md shows them.
import { connectionFacts } from './connection-facts.ts';
import type { Fact } from './fact.ts';
import { functionFacts, sdkFacts } from './function-facts.ts';
import { answerFacts, callbackFacts, inquiryFacts } from './gateway-facts.ts';
import { peopleFacts } from './people-facts.ts';
import { queueFacts } from './queue-facts.ts';
import { ledgerFacts, secretFacts } from './store-facts.ts';

/** The facts of each table of the page, by the name that marks it there. */
export const factTables: Readonly<Record<string, readonly Fact[]>> = {
  'facts-sqs': queueFacts,
  'facts-lambda': functionFacts,
  'facts-sdk': sdkFacts,
  'facts-dynamodb': ledgerFacts,
  'facts-secrets': secretFacts,
  'facts-connections': connectionFacts,
  'facts-answers': answerFacts,
  'facts-inquiries': inquiryFacts,
  'facts-callbacks': callbackFacts,
  'facts-people': peopleFacts,
};

/** A fact as a row of the page. */
export function factRow({ does, breaks, source, fault, tests = [], bug }: Fact): readonly string[] {
  const shown = [...(fault === undefined ? [] : [`“${fault}”`]), ...tests.map((path) => `\`${path}\``)];
  return [
    does,
    breaks,
    shown.join(', '),
    bug === undefined ? '–' : `“${bug}”`,
    source === undefined ? 'silent: the worst is assumed' : source.replaceAll('|', '\\|'),
  ];
}
