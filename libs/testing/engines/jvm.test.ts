import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { jvmArguments } from './cassandra-settings.ts';
import { classArchive, jvmFlags } from './jvm.ts';

test('a JVM of operators has no compiler, collector or heap of tests, and differs from one of tests in nothing else', () => {
  const [ofTests, ofOperators] = [jvmArguments('tests'), jvmArguments('operator')];
  const of = (flags: readonly string[], others: readonly string[]) => flags.filter((flag) => !others.includes(flag));
  expect(of(ofTests, ofOperators)).toEqual(['-Xms128m', '-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1']);
  expect(of(ofOperators, ofTests)).toEqual(['-Xms1g', '-Xmx1g', '-XX:+UseG1GC', '-XX:+TieredCompilation']);
  expect(jvmFlags('operator', ['1m', '2m'])).toEqual(of(ofOperators, ofTests));
});

test('only JVMs of tests read and write the archive of classes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'archive-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'kept.jsa');
  const written = join(folder, 'classes.jsa');
  expect(classArchive('tests', file, folder)).toEqual({ flags: [`-XX:ArchiveClassesAtExit=${written}`], written });
  writeFileSync(file, '');
  expect(classArchive('tests', file, folder)).toEqual({ flags: [`-XX:SharedArchiveFile=${file}`], written: null });
  expect(classArchive('operator', file, folder)).toEqual({ flags: [], written: null });
});
