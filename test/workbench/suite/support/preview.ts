import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Command } from '../../../../extension/src/contributions/ids';
import type { PreviewPanel } from '../../../../extension/src/preview/panel';
import type { PanelInspection } from '../../../../helper/protocol/webview';
import { seamscope } from './extension';
import { until } from './until';

export type Shown = PanelInspection & { info: NonNullable<PanelInspection['info']> };

const NOTHING = { x: 0, y: 0, width: 0, height: 0 };

/** Opens a preview and waits for its first picture. */
export async function openPreview(): Promise<PreviewPanel> {
  const { previews: before } = await seamscope();
  await vscode.commands.executeCommand(Command.OpenPreview);
  const { previews } = await seamscope();
  const preview = previews.find((each) => !before.includes(each));
  assert.ok(preview, 'The command opened no preview.');
  await shows(preview, 'a first picture', () => true);
  return preview;
}

export async function closePreviews(): Promise<void> {
  for (const { panel } of (await seamscope()).previews) panel.dispose();
  await until('all previews closed', async () => (await seamscope()).previews.length === 0);
}

/** Waits until a picture is on screen and the panel is as `test` wants it. */
export function shows(preview: PreviewPanel, what: string, test: (panel: Shown) => boolean): Promise<Shown> {
  return until(`the preview shows ${what}`, async () => {
    const panel = await preview.inspect(NOTHING);
    if (panel.failure) throw new Error(panel.failure);
    const { info } = panel;
    return info && test({ ...panel, info }) ? { ...panel, info } : undefined;
  });
}

/** RGBA of one canvas pixel. */
export async function canvasPixel(preview: PreviewPanel, x: number, y: number): Promise<number[]> {
  return (await preview.inspect({ x, y, width: 1, height: 1 })).pixels;
}

/** RGBA in the middle of a texel, or where it lies on the canvas when texels are smaller than pixels. */
export async function canvasTexel(preview: PreviewPanel, x: number, y: number): Promise<number[]> {
  const { placement, scale } = await preview.inspect(NOTHING);
  assert.ok(placement, 'Nothing of the frame is visible.');
  const { left, top, rect } = placement;
  return canvasPixel(preview, Math.floor(left + (x + 0.5 - rect.x) * scale), Math.floor(top + (y + 0.5 - rect.y) * scale));
}

/** Whether the picture on screen is of the part of the frame that the panel asks for now. */
export function isCurrent({ info, placement }: PanelInspection): boolean {
  if (!info || !placement) return false;
  const { rect = placement.rect } = info;
  return Math.abs(rect.x - placement.rect.x) < 1e-6 && Math.abs(rect.width - placement.rect.width) < 1e-6;
}

/** The picture of its frame, without loss. */
export async function pausePreview(preview: PreviewPanel): Promise<Shown> {
  await preview.perform('pause');
  return shows(preview, 'a paused picture without loss', (panel) => panel.paused && panel.info.lossless && isCurrent(panel));
}

/** What the panel says under its crosshair, channel by channel. */
export async function texelValue(preview: PreviewPanel, x: number, y: number): Promise<string[]> {
  await preview.perform('probe', `${x} ${y}`);
  return until(`the value of ${x}, ${y}`, async () => {
    const { probe } = await preview.inspect(NOTHING);
    return probe.startsWith(`${x}, ${y}: `) && probe.slice(`${x}, ${y}: `.length).split(/\s+/);
  });
}
