import { expect, it } from 'vitest';
import { traceIdOf } from '../../lib/payout/log-fields.ts';

const root = '1-5759e988-bd862e3fe1be46a994272793';

it.each([`Root=${root}`, `Root=${root};Parent=53995c3f42cd8ad8;Sampled=1`, `Sampled=0; Root=${root};Lineage=1:a:0`])(
  'the trace of %j is its root',
  (header) => {
    expect(traceIdOf(header)).toBe(root);
  },
);

it.each([undefined, '', 'Root=', 'Root=1-5759e988-bd86', `Root=${root}4111`, 'Root=4111111111111111', root])(
  'a header like %j, which anybody may have written, names none',
  (header) => {
    expect(traceIdOf(header)).toBeUndefined();
  },
);
