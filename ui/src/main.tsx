import { render } from "preact";
import { Client, fromEmbedded, overNetwork, unpack } from "./data/client";
import { Store } from "./data/place";
import { Page } from "./frame/page";
import "./frame/theme.css";
import "./frame/frame.css";
import "./frame/table.css";

async function start(): Promise<void> {
  const home = document.getElementById("page");
  const data = document.getElementById("clew-data")?.textContent ?? "";
  if (!home) {
    return;
  }
  const store = new Store(window);
  if (data.trim()) {
    const embedded = await unpack(data);
    render(<Page client={new Client(fromEmbedded(embedded))} store={store} cut={embedded.cut} embedded />, home);
  } else {
    render(<Page client={new Client(overNetwork)} store={store} cut={[]} embedded={false} />, home);
  }
}

void start();
