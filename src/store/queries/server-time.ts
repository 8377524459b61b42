import { CURRENT_TIME } from "../../db/expiry.js";
import { secondsText } from "../../db/number-text.js";
import { Statement } from "../../db/statements/statement.js";

/** Reads the time of the server, in seconds since 1970, as text. */
export const serverTime = /* @__PURE__ */ new Statement<object, { readonly seconds: string }>((db) =>
  db.selectNoFrom(secondsText(CURRENT_TIME).as("seconds")),
);
