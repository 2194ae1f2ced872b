import type { View } from "../view";
import { FilesView } from "./files";

export const files: View = {
  name: "files",
  title: "Files",
  icon: <path d="M2.500 12.500v-9h4l1.500 2h5.500v7z" />,
  ignores: ["range", "thread", "method"],
  component: FilesView,
};
