// Before whatever builds, packages or deploys: is there something to do it with? An operator's installation (`npm ci --omit=dev`)
// has none of it, and says so in a line. Plain JavaScript, which any Node runs.
import { createRequire } from 'node:module';

try {
  createRequire(import.meta.url).resolve('esbuild');
} catch {
  process.stderr.write('what builds and deploys is not installed here: "npm ci" without --omit=dev brings it\n');
  process.exit(1);
}
