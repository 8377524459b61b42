import { tool } from "@langchain/core/tools";
import { interrupt } from "@langchain/langgraph";
import { z } from "zod";
import type { Journal } from "./journal.js";
import { say } from "./narrator.js";

/** What the tools of the agent are made with. */
export interface TripToolsOptions {
  /** Where every run of a tool is noted. */
  readonly journal: Journal;
  /** Happens in the middle of `reserve_room`: the moment for a process to die. */
  readonly inReserveRoom: () => Promise<void>;
}

/** The tools: two reservations, and a payment that a person has to approve. */
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
      // The tool starts anew with the answer, so whatever may happen only once comes after this line.
      const answer: unknown = interrupt(`Pay ${euros} €?`);
      if (answer !== "yes") return done("pay", `declined, nothing was paid`);
      return done("pay", `${euros} € paid`);
    },
    {
      name: "pay",
      description: "Pays, when a person agrees",
      schema: z.object({ euros: z.number() }),
    },
  );
  return [reserveTrain, reserveRoom, pay];
}
