/** Throughput by slots: what was measured, and the model that was fitted to it. */
import type { SeamDeviceReport, SeamModel } from '../../../helper/protocol/seamtest';
import { element } from '../shared/dom';
import { shape, svg } from '../shared/svg';
import { type ChartBox, layOutChart } from './chart-scale';
import { framesPerSecond, grouped, us } from './numbers';
import { lead, section } from './section';
import { number, table } from './table';

const BOX: ChartBox = { width: 560, height: 220, left: 58, bottom: 36, top: 12, right: 16 };

export function modelSection({ model }: SeamDeviceReport): HTMLElement[] {
  if (!model) return [];
  const { mode, workUs, handoverUs, fitted } = model;
  const rows = fitted.map(({ slots, usPerFrame }) => [
    number(slots),
    number(us(usPerFrame)),
    number(framesPerSecond(usPerFrame)),
    number(us(workUs + handoverUs / slots)),
  ]);
  return [
    section(
      'Throughput by Slots',
      lead(`${mode === 'timeline' ? 'Timeline semaphores' : 'Fence'}, one process, Vulkan to its partner.`),
      element(
        'div',
        { class: 'side-by-side' },
        figure(model),
        element('div', { class: 'aside' }, formula(model), table('Throughput by slots', HEADER, rows)),
      ),
    ),
  ];
}

const HEADER = ['Slots', 'µs a frame', 'Frames/s', 'Model µs'];

function formula({ fitted, workUs, handoverUs, switchUs, rSquared, overlap, alone }: SeamModel): HTMLElement {
  const parts: [string, string][] = [
    ['Model', handoverUs > 0 ? `${us(workUs)} µs + ${us(handoverUs)} µs / slots` : 'does not fit: more slots, no faster'],
    ['Explains', fitted.length === 2 ? 'not known: two points' : `${Math.round(rSquared * 100)} % of the spread`],
    ['A switch', handoverUs > 0 ? `${us(switchUs)} µs` : 'not known'],
    ['Overlap', overlap === null ? 'not known' : `${Math.round(overlap * 100)} %`],
    ...(alone ? [['Alone', `Vulkan ${us(alone.vulkanUs)} µs, partner ${us(alone.partnerUs)} µs`] as [string, string]] : []),
  ];
  return element('dl', { class: 'pairs' }, ...parts.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]));
}

function figure(model: SeamModel): HTMLElement {
  const { points, line, ticks, columns, worthX } = layOutChart(model, BOX);
  const floor = BOX.height - BOX.bottom;
  const text = (words: string, x: number, y: number, anchor: string, more = {}) =>
    shape('text', { x: x.toFixed(1), y: y.toFixed(1), 'text-anchor': anchor, ...more }, words);
  const chart = svg(
    { viewBox: `0 0 ${BOX.width} ${BOX.height}`, class: 'chart', role: 'img', 'aria-label': describe(model) },
    ...ticks.flatMap(({ value, y }) => [
      shape('path', { class: 'grid', d: `M${BOX.left} ${y.toFixed(1)}H${BOX.width - BOX.right}` }),
      text(grouped(value), BOX.left - 8, y + 4, 'end'),
    ]),
    ...columns.filter(({ slots }) => isLabelled(slots, columns.length)).map(({ slots, x }) => text(String(slots), x, floor + 16, 'middle')),
    text('slots', (BOX.left + BOX.width - BOX.right) / 2, BOX.height - 4, 'middle', { class: 'axis' }),
    ...(worthX === null ? [] : [shape('path', { class: 'worth', d: `M${worthX.toFixed(1)} ${BOX.top}V${floor}` })]),
    ...(line ? [shape('path', { class: 'line', d: line })] : []),
    ...points.map(({ x, y }) => shape('circle', { class: 'point', cx: x.toFixed(1), cy: y.toFixed(1), r: '4' })),
  );
  const keys = ['measured', ...(line ? ['model'] : []), ...(worthX === null ? [] : ['worth'])];
  return element('figure', {}, chart, element('figcaption', {}, 'Frames a second: ', ...keys.map(legend)));
}

const LEGEND: Record<string, string> = { measured: 'measured', model: 'model', worth: 'slots worth having' };

function legend(key: string): HTMLElement {
  return element('span', { class: `key key-${key}` }, LEGEND[key]!);
}

/** Every number where there is room, else powers of two. */
function isLabelled(slots: number, most: number): boolean {
  return most <= 8 || Number.isInteger(Math.log2(slots));
}

function describe({ fitted }: SeamModel): string {
  return `Frames a second by slots: ${fitted.map(({ slots, usPerFrame }) => `${slots} slots ${framesPerSecond(usPerFrame)}`).join(', ')}`;
}
