// Which versions of the functions to go back to: a decision over what Lambda has published, before anything is changed.

/** A published version of a function. */
interface Version {
  readonly number: number;
  /** The commit that it was released from; undefined where the description does not say. */
  readonly release: string | undefined;
}

/** A function behind its alias. */
export interface Published {
  readonly functionName: string;
  /** The version that the alias names. */
  readonly live: number;
  /** The version to which a rollout leads a part of the calls by now. */
  readonly shiftsTo?: number;
  /** The commit that `$LATEST` was released from. */
  readonly latest: string | undefined;
  readonly versions: readonly Version[];
}

/** One alias to be set. */
export interface Step {
  readonly functionName: string;
  readonly from: number;
  readonly to: number;
}

/** The plan, or why there is none. */
type RollBackPlan =
  | { readonly kind: 'steps'; readonly release: string; readonly steps: readonly Step[] }
  | { readonly kind: 'impossible'; readonly reason: string };

/** The release of a version, as its description says. */
export function releaseIn(description: string | undefined): string | undefined {
  return /\(commit [^)]+, release ([^)]+)\)$/.exec(description ?? '')?.[1];
}

/** The releases that can be gone to, the newest first. */
export function releasesOf(functions: readonly Published[]): readonly string[] {
  const newestFirst = [...(functions[0]?.versions ?? [])].toSorted((a, b) => b.number - a.number);
  const releases = newestFirst.flatMap(({ release }) => (release === undefined ? [] : [release]));
  return [...new Set(releases)].filter((release) => functions.every((it) => versionOf(it, release) !== undefined));
}

/** The release that a function runs now. */
export function liveReleaseOf({ live, versions }: Published): string | undefined {
  return versions.find(({ number }) => number === live)?.release;
}

/** The plan: to the given release, without one to that which was live before the present one. All functions, or none. */
export function planRollBack(functions: readonly Published[], named: string | undefined): RollBackPlan {
  if (functions.length === 0) return impossible('the stack has no function behind an alias: deploy this version first');
  const releases = releasesOf(functions);
  const target = named === undefined ? releaseBefore(functions, releases) : releasesNamed(releases, named);
  const [release, ...others] = target;
  if (release === undefined) {
    const known =
      releases.length > 0 ? `there are ${releases.join(', ')}` : 'no release is published of every function';
    return impossible(
      `there is no version ${named === undefined ? 'before the present one' : `of release ${named}`}: ${known}`,
    );
  }
  if (others.length > 0) return impossible(`${named} begins the name of several: ${target.join(', ')}`);
  const steps = functions.flatMap((it): Step[] => {
    const { functionName, live, shiftsTo } = it;
    const to = versionOf(it, release);
    if (to === undefined || (to === live && shiftsTo === undefined)) return [];
    // Where two versions run side by side, the one that no longer will.
    return [{ functionName, from: to === live ? (shiftsTo ?? live) : live, to }];
  });
  return { kind: 'steps', release, steps };
}

/** One whole name, or all that begin with it. */
const releasesNamed = (releases: readonly string[], name: string): readonly string[] =>
  releases.includes(name) ? [name] : releases.filter((it) => it.startsWith(name));

/**
 * The newest that every function had before the one that is live; where one is back already, the others follow it. While a rollout
 * shifts traffic, the one before is still live, and the whole way back is to let nothing go to the next one.
 */
function releaseBefore(functions: readonly Published[], releases: readonly string[]): readonly string[] {
  const places = functions.map((it) => releases.indexOf(liveReleaseOf(it) ?? ''));
  const [oldest, newest] = [Math.max(...places), Math.min(...places)];
  if (newest < 0) return [];
  const isShifting = functions.some(({ shiftsTo }) => shiftsTo !== undefined);
  const release = releases[oldest === newest && !isShifting ? newest + 1 : oldest];
  return release === undefined ? [] : [release];
}

/** Where what runs is not what is asked for, or is not what was last deployed: a line each. */
export function notLive(functions: readonly Published[], release: string): readonly string[] {
  return functions.flatMap((it) => {
    const live = liveReleaseOf(it) ?? 'no release';
    if (it.shiftsTo !== undefined)
      return [
        `${it.functionName}: a part of the calls goes to version ${it.shiftsTo}, the others to ${it.live} of ${live}`,
      ];
    if (live !== release)
      return [`${it.functionName}: live is version ${it.live} of ${live}, asked for was ${release}`];
    return it.latest === release
      ? []
      : [`${it.functionName}: $LATEST is ${it.latest ?? 'no release'}, live ${release}`];
  });
}

function versionOf({ versions }: Published, release: string): number | undefined {
  const numbers = versions.filter((it) => it.release === release).map(({ number }) => number);
  return numbers.length === 0 ? undefined : Math.max(...numbers);
}

const impossible = (reason: string): RollBackPlan => ({ kind: 'impossible', reason });
