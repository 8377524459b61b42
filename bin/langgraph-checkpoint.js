#!/usr/bin/env node
import { ignoreClosedPipe, run } from "../dist/cli.js";
process.stdout.on("error", ignoreClosedPipe);
process.exitCode = await run(process.argv.slice(2), process);
