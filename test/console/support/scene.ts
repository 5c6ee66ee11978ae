// A scene for the console's server, of which a test gives what it needs.
import { shownText } from '../../../lib/cli/perform-act.ts';
import { shownSafely } from '../../../lib/cli/terminal.ts';
import type { Operator } from '../../../lib/operate/operator.ts';
import type { ConsoleScene } from '../../../lib/console/scene.ts';
import type { OperatorDesk } from '../../../lib/operate/act.ts';

/** The scene over this much of an operator's port. */
export function aScene(operator: object = {}, more: Partial<ConsoleScene> = {}): ConsoleScene {
  const its = { nowMs: () => 1, ...operator } as Operator;
  const merchants = { identity: { whoAmI: async () => 'arn:aws:iam::1:user/ada' } };
  return {
    desk: { operator: its, dry: its, glance: its, merchants } as unknown as OperatorDesk,
    alarms: async () => [],
    stage: 'stage prod',
    moneyNotice: async () => undefined,
    isReadOnly: true,
    reports: { check: async () => {}, write: async () => {} },
    words: { shown: shownText, safely: shownSafely },
    ...more,
  };
}
