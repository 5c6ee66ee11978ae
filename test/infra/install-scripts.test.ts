// A package whose install script is not listed runs nothing: strict mode stops npm 11, and the commands for npm 10 pass the script over.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Lock {
  readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>;
}
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
const { allowScripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly allowScripts: Readonly<Record<string, boolean>>;
};

it('each package with an install script is named, and no other', () => {
  const scripted = Object.entries(lock.packages).flatMap(([path, it]) =>
    it.hasInstallScript ? [path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)] : [],
  );
  expect(Object.keys(allowScripts).toSorted()).toEqual(scripted.toSorted());
});

describe('a script that is not named', () => {
  /** A project with our settings, and a dependency that leaves a mark when its script runs. */
  function project(): { readonly cwd: string; readonly hasRun: () => boolean } {
    const cwd = mkdtempSync(join(tmpdir(), 'payouts-scripts-'));
    const mark = join(cwd, 'has-run');
    mkdirSync(join(cwd, 'dep'));
    const scripts = { postinstall: 'node mark.js' };
    writeFileSync(join(cwd, 'dep/package.json'), JSON.stringify({ name: 'dep', version: '1.0.0', scripts }));
    writeFileSync(join(cwd, 'dep/mark.js'), `require('fs').writeFileSync(${JSON.stringify(mark)}, '')`);
    execFileSync('npm', ['pack', '--silent'], { cwd: join(cwd, 'dep') });
    const dependencies = { dep: 'file:dep/dep-1.0.0.tgz' };
    writeFileSync(join(cwd, 'package.json'), JSON.stringify({ name: 'project', version: '1.0.0', dependencies }));
    copyFileSync('.npmrc', join(cwd, '.npmrc'));
    return { cwd, hasRun: () => existsSync(mark) };
  }
  const npm = (cwd: string, ...args: string[]) => spawnSync('npm', [...args, '--offline'], { cwd, encoding: 'utf8' });
  const major = Number(execFileSync('npm', ['--version'], { encoding: 'utf8' }).split('.')[0]);

  it.skipIf(major < 11)('stops the install in strict mode', () => {
    const { cwd, hasRun } = project();
    const { status, stderr } = npm(cwd, 'install');
    expect([status === 0, hasRun()]).toEqual([false, false]);
    expect(stderr).toContain('not covered by allowScripts');
  });

  it('is passed over by the commands for npm 10; it would leave its mark if it ran', () => {
    const { cwd, hasRun } = project();
    expect(npm(cwd, 'install', '--ignore-scripts').status).toBe(0);
    expect(hasRun()).toBe(false);
    execFileSync(process.execPath, ['mark.js'], { cwd: join(cwd, 'node_modules/dep') });
    expect(hasRun()).toBe(true);
  });
});
