export interface MedianInterval {
  median: number;
  low: number;
  high: number;
  confidence: number;
  count: number;
}
export function medianInterval(values: number[], confidence?: number): MedianInterval;
export function decide(interval: Pick<MedianInterval, 'low' | 'high' | 'confidence'>, goal: number): 'yes' | 'no' | 'undecided';
