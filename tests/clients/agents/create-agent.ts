import type { BaseMessage } from "@langchain/core/messages";
import type { FakeBuiltModel } from "@langchain/core/testing";
import { tool } from "@langchain/core/tools";
import { Command } from "@langchain/langgraph";
import {
  createAgent,
  humanInTheLoopMiddleware,
  summarizationMiddleware,
  todoListMiddleware,
} from "langchain";
import { z } from "zod";
import { stateBefore } from "../../graphs/support/history.js";
import { type Client, configOf, human, type Place } from "../client.js";
import { middlewareOf } from "./middleware.js";
import { faultOf } from "../fault.js";
import { calls, callsAll, replying, says } from "../replies.js";

const sendMail = tool(({ to, text }) => `sent to ${to}: ${text}`, {
  name: "send_mail",
  description: "Sends a mail.",
  schema: z.object({ to: z.string(), text: z.string() }),
});
const weather = tool(({ city }) => `It rains in ${city}.`, {
  name: "weather",
  description: "Tells the weather.",
  schema: z.object({ city: z.string() }),
});

const mail = { to: "ada@example.org", text: "Come at nine." };
const approval = "HumanInTheLoopMiddleware.after_model";

/** An agent that asks before it sends a mail. */
export function createMailAgent({ saver, store }: Place, model: FakeBuiltModel, summarizer = replying()) {
  return createAgent({
    ...{ model, checkpointer: saver, store },
    tools: [sendMail, weather],
    middleware: middlewareOf(
      [todoListMiddleware],
      [summarizationMiddleware, { model: summarizer, trigger: { messages: 8 }, keep: { messages: 3 } }],
      [humanInTheLoopMiddleware, { interruptOn: { send_mail: true } }],
    ),
  });
}

const todo = (status: string) => ({ todos: [{ content: "invite Ada", status }] });

/** The texts that a model was asked with. */
function asked({ calls: all }: FakeBuiltModel): string[][] {
  return all.map(({ messages }) => messages.map(({ type, text }: BaseMessage) => `${type}: ${text}`));
}

/** LangChain's agent, with the middleware that stops for a person, plans, and shortens the conversation. */
export const langchainAgent: Client = {
  graphOf: (place) => createMailAgent(place, replying()).graph,
  phases: {
    "plans, and asks before a tool runs": async (place) => {
      const model = replying(calls("write_todos", todo("in_progress")), calls("send_mail", mail));
      return createMailAgent(place, model).invoke(human("Invite Ada."), configOf(place));
    },
    "goes on after an edited answer": async (place) => {
      const model = replying(calls("write_todos", todo("completed")), says("Ada is invited."));
      const decision = {
        type: "edit",
        editedAction: { name: "send_mail", args: { ...mail, text: "Come at ten." } },
      };
      const resume = new Command({ resume: { decisions: [decision] } });
      return createMailAgent(place, model).invoke(resume, configOf(place));
    },
    "summarizes a long conversation, and streams": async (place) => {
      const model = replying(
        callsAll(["weather", { city: "Bergen" }], ["weather", { city: "Oslo" }]),
        says("It rains."),
      );
      const agent = createMailAgent(place, model, replying(says("Ada was invited."), says("Ada. Rain.")));
      const config = { ...configOf(place), streamMode: ["updates" as const, "values" as const] };
      const events: unknown[] = [];
      for await (const event of await agent.stream(human("And the weather?"), config)) events.push(event);
      return [events, asked(model)];
    },
    "branches off where it had asked": async (place) => {
      const agent = createMailAgent(place, replying(says("Then not.")));
      const { config } = await stateBefore(agent.graph, configOf(place), approval);
      const decisions = [{ type: "reject", message: "She knows." }];
      return agent.invoke(new Command({ resume: { decisions } }), config);
    },
    "loses an approved call beside a rejected one": async (place) => {
      const config = { configurable: { thread_id: `${place.thread} both` } };
      const both = callsAll(["send_mail", mail], ["send_mail", { ...mail, to: "bob@example.org" }]);
      const agent = createMailAgent(place, replying(both, says("Nobody is invited.")));
      await agent.invoke(human("Invite both."), config);
      const resume = new Command({ resume: { decisions: [{ type: "approve" }, { type: "reject" }] } });
      const { messages } = await agent.invoke(resume, config);
      const isSent = messages.some(({ text }) => text.startsWith("sent to ada"));
      return [messages, await faultOf(isSent ? Promise.resolve() : Promise.reject(new Error("not sent")))];
    },
  },
};
