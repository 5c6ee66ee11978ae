// Tests that meet a planted bug: those that are named in the environment, in that order, until one of them fails.
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { defineConfig } from 'vitest/config';
import { common } from '../vitest.config.ts';

const named = (process.env['BUG_TESTS'] ?? '').split(' ');
const placeOf = ({ moduleId }: TestSpecification) => named.findIndex((it) => moduleId.endsWith(`/${it}`));

class AsNamed extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((a, b) => placeOf(a) - placeOf(b)));
  }
}

// oxlint-disable-next-line import/no-default-export -- vitest asks for it
export default defineConfig({
  test: { ...common, include: named, isolate: false, bail: 1, maxWorkers: 2, sequence: { sequencer: AsNamed } },
});
