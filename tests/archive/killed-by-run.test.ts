import { describeKilledArchive } from "./killed-archive.js";

describeKilledArchive("older checkpoints, in one file", { keepLast: 1, deleteUnproven: true }, "run");
