"""Controls by name, as far as picamera2 names them."""

from enum import Enum
from types import SimpleNamespace

from libcamera._libcamera import ControlId

ExposureTime, ExposureTimeMode = ControlId.of("ExposureTime"), ControlId.of("ExposureTimeMode")
AnalogueGain, AnalogueGainMode = ControlId.of("AnalogueGain"), ControlId.of("AnalogueGainMode")
draft = SimpleNamespace(NoiseReductionModeEnum=Enum("NoiseReductionModeEnum", "Off Fast HighQuality Minimal"))
AfModeEnum = Enum("AfModeEnum", "Manual Auto Continuous")
AfTriggerEnum = Enum("AfTriggerEnum", "Start Cancel")
AfStateEnum = Enum("AfStateEnum", "Idle Scanning Focused Failed")
