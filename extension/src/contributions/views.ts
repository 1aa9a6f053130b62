import { Container, View } from './ids';

export const viewsContainers = {
  activitybar: [{ id: Container.Seamscope, title: 'Seamscope', icon: 'extension/media/seamscope.svg' }],
};

export const views = {
  [Container.Seamscope]: [
    { id: View.Devices, name: 'Devices', icon: 'extension/media/seamscope.svg', contextualTitle: 'Seamscope' },
    { id: View.Doctor, name: 'Doctor', icon: 'extension/media/seamscope.svg', contextualTitle: 'Seamscope', visibility: 'collapsed' },
  ],
};
