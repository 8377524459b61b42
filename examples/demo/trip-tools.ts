import { tool } from "@langchain/core/tools";
import { interrupt } from "@langchain/langgraph";
import { z } from "zod";
import type { Journal } from "./journal.js";
import { say } from "./narrator.js";

/** Options of {@link createTripTools}. */
export interface TripToolsOptions {
  /** Receives an entry for every run of a tool. */
  readonly journal: Journal;
  /** Called in the middle of `reserve_room`, where a process can kill itself. */
  readonly inReserveRoom: () => Promise<void>;
}

/** Creates the tools: two reservations, and a payment that a person has to approve. */
export function createTripTools({ journal, inReserveRoom }: TripToolsOptions) {
  const done = (name: string, result: string): string => {
    journal.append("finished", name);
    say("tool", `${name}: ${result}`);
    return result;
  };
  const reserveTrain = tool(
    ({ to }) => {
      journal.append("started", "reserve_train");
      return done("reserve_train", `night train to ${to} reserved, 89 €`);
    },
    {
      name: "reserve_train",
      description: "Reserves a berth on the night train",
      schema: z.object({ to: z.string() }),
    },
  );
  const reserveRoom = tool(
    async ({ city, nights }) => {
      journal.append("started", "reserve_room");
      await inReserveRoom();
      return done("reserve_room", `room in ${city} reserved, ${nights} nights, 180 €`);
    },
    {
      name: "reserve_room",
      description: "Reserves a hotel room",
      schema: z.object({ city: z.string(), nights: z.number() }),
    },
  );
  const pay = tool(
    ({ euros }) => {
      // The tool starts again with the answer, so code that must run only once comes after this line.
      const answer: unknown = interrupt(`Pay ${euros} €?`);
      if (answer !== "yes") return done("pay", `declined, nothing was paid`);
      return done("pay", `${euros} € paid`);
    },
    {
      name: "pay",
      description: "Pays after a person agrees",
      schema: z.object({ euros: z.number() }),
    },
  );
  return [reserveTrain, reserveRoom, pay];
}
