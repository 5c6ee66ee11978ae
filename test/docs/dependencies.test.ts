// Each package that is used at run time was chosen on purpose.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('each package that is used at run time has its reason in infra/docs/dependencies.md, and no other has', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object };
  const told = [...readFileSync('infra/docs/dependencies.md', 'utf8').matchAll(/^\| `(.+?)` \| .+ \|$/gm)];
  expect(told.map(([, name]) => name)).toEqual(Object.keys(dependencies));
});
