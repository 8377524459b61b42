import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import { Client as ServerClient } from "@langchain/langgraph-sdk";
import { createMailAgent } from "../agents/create-agent.js";
import { type Client, human, type Place } from "../client.js";
import { faultOf } from "../fault.js";
import { metadataOf } from "../read-whole.js";
import { calls, replying, says } from "../replies.js";

const mail = { to: "ada@example.org", text: "Come at nine." };

/** Opens a server with an agent whose model gives these replies. */
async function openServer(place: Place, ...replies: readonly AIMessage[]) {
  // Here, because the server changes its process, and React needs a document.
  const { serve } = await import("./serve.js");
  const { openChatPage } = await import("./chat-page.js");
  const server = await serve(place, createMailAgent(place, replying(...replies)).graph);
  return {
    client: new ServerClient({ apiUrl: server.url }),
    openPage: () => openChatPage(server.url, place.thread),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** LangGraph's server in one's own service, a page in React that shows a conversation, and the SDK's client for the list of them. */
export const embedServer: Client = {
  graphOf: (place) => createMailAgent(place, replying()).graph,
  phases: {
    "streams until it asks": async (place) => {
      await using server = await openServer(place, calls("send_mail", mail));
      const metadata = { owner: place.thread, title: "Invitations" };
      const created = await server.client.threads.create({ threadId: place.thread, metadata });
      await using page = await server.openPage();
      const ready = await page.see(({ isThreadLoading }) => !isThreadLoading);
      await ready.submit(human("Invite Ada."));
      const { messages, interrupts } = await page.see(
        (seen) => !seen.isLoading && seen.interrupts.length > 0,
      );
      return [metadataOf(created), messages, interrupts, page.text()];
    },
    "shows the question again, and goes on with the answer": async (place) => {
      await using server = await openServer(place, says("Ada is invited."));
      await using page = await server.openPage();
      const asked = await page.see((seen) => seen.interrupts.length > 0 && seen.messages.length === 2);
      const before = page.text();
      const decisions = [{ type: "approve" as const }];
      const fault = await faultOf(asked.respond({ decisions }, { interruptId: asked.interrupt?.id ?? "" }));
      await asked.submit({ decisions });
      const { messages } = await page.see(endsWith("Ada is invited."));
      return [before, fault, messages, page.text()];
    },
    "edits a message, which makes a branch": async (place) => {
      await using server = await openServer(place, says("She is ill."), says("He comes."));
      await using page = await server.openPage();
      const ready = await page.see((seen) => !seen.isThreadLoading && seen.messages.length === 4);
      await ready.submit(human("And Eve?"));
      await page.see(endsWith("She is ill."));
      const history = await server.client.threads.getHistory(place.thread);
      const [, before] = history.filter(({ next }) => next.length === 0);
      await ready.submit(human("And Bob?"), { forkFrom: before?.checkpoint.checkpoint_id ?? "" });
      const { messages } = await page.see(
        (seen) => seen.messages.length === 6 && endsWith("He comes.")(seen),
      );
      return [history, messages, page.text()];
    },
    "finds, changes and deletes conversations": async (place) => {
      await using server = await openServer(place);
      const { threads } = server.client;
      const query = { metadata: { owner: place.thread }, limit: 10 };
      const { thread_id: second } = await threads.create({
        metadata: { owner: place.thread, title: "Other" },
      });
      await threads.update(place.thread, { metadata: { title: "Invitations of Bob" } });
      const found = await threads.search({ ...query, sortBy: "created_at", sortOrder: "asc" });
      const page = await threads.search({ ...query, sortBy: "created_at", offset: 1, limit: 1 });
      await threads.delete(second);
      const left = await threads.search(query);
      const state = await threads.getState(place.thread);
      const fault = await faultOf(server.client.assistants.search());
      return [...[found, page, left].map((all) => all.map(metadataOf)), state, fault];
    },
  },
};

function endsWith(last: string): (seen: { messages: readonly BaseMessage[] }) => boolean {
  return ({ messages }) => messages.at(-1)?.text === last;
}
