import { InvalidConfigError } from "../../errors/index.js";

/** @throws InvalidConfigError always, since Kysely does not pass notifications on. */
export function refuseToListen(): never {
  throw new InvalidConfigError(
    "source",
    "a passed-in Kysely or transaction receives no notifications: create the watching saver on its pool",
  );
}
