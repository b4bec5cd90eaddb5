// Writes into built/ a digest of what it was built from, so that a test sees without Node whether it is current.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';

const SOURCES = ['package-lock.json', 'package.json', 'schema', 'src', 'style', 'tsconfig.json', 'webpack.config.cjs'];

function files(path) {
  return statSync(path).isDirectory() ? readdirSync(path).flatMap(name => files(`${path}/${name}`)) : [path];
}

const digest = createHash('sha256');
for (const path of SOURCES.flatMap(files).sort()) {
  digest.update(`${path}\n${createHash('sha256').update(readFileSync(path)).digest('hex')}\n`);
}
writeFileSync('built/sources.sha256', `${digest.digest('hex')}\n`);
