global using Shared.Tools;
global using static Shared.Texts;
global using Kit = Shared.Kits.Kit;
