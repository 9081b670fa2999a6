// The Markdown of our own descriptions: paragraphs, tables, code, bold text and links. No other is written in them.

import type { ComponentChildren } from 'preact';

const INLINE = /`([^`]+)`|\*\*(.+?)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/;

export function markdown(text = ''): ComponentChildren {
  const blocks = text.split('\n\n').filter((block) => block !== '');
  return blocks.map((block) => (block.startsWith('|') ? tableOf(block) : <p>{inline(block)}</p>));
}

function tableOf(block: string): ComponentChildren {
  const lines = block.split('\n').map((line) => line.split('|').slice(1, -1));
  const [head, , ...rows] = lines.map((cells) => cells.map((cell) => inline(cell.trim())));
  return (
    <table>
      <thead>
        <tr>
          {head!.map((cell) => (
            <th scope="col">{cell}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells) => (
          <tr>
            {cells.map((cell) => (
              <td>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function inline(text: string): ComponentChildren {
  const found = INLINE.exec(text);
  if (!found) return text;
  const [all, code, bold, link, href] = found;
  return [
    text.slice(0, found.index),
    code !== undefined && <code>{code}</code>,
    bold !== undefined && <strong>{inline(bold)}</strong>,
    link !== undefined && <a href={href}>{link}</a>,
    inline(text.slice(found.index + all.length)),
  ];
}
