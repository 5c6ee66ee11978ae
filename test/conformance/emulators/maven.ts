// Java emulators out of Maven Central: the jars of one pom in one directory.
import { join } from 'node:path';
import { run, type Tool } from './tool-cache.ts';

/** The plugin is pinned too: Maven would take whatever its own version prefers. */
const copyDependencies = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';

/** Two Mavens at once would write into the same local repository. */
let running: Promise<unknown> = Promise.resolve();

/** A tool whose jars are those of the pom, in `jars/`. */
export function mavenTool(name: string, pom: string): Tool {
  return {
    name,
    needs: ['java', 'mvn'],
    pins: [pom],
    install(directory) {
      const target = `-DoutputDirectory=${join(directory, 'jars')}`;
      const args = ['-B', '-q', '-f', pom, copyDependencies, '-DincludeScope=runtime', target];
      const install = () => run('mvn', args, { cwd: directory });
      const installed = running.then(install, install);
      running = installed;
      return installed;
    },
  };
}

/** For short-lived servers on two cores: no second compiler, no parallel collector. */
export const javaFlags = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xmx512m'];
